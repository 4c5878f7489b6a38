/**
 * 30 machines at a slow cloud, with few slots: the waits in the queue are longer than the minute
 * after which a queue is looked at.
 */
import { describeSlowCloud } from '../support/slow-cloud.ts';

describeSlowCloud([
  { manner: 'pending', machines: 30, seconds: 6, slots: 2 },
  { manner: 'blocking', machines: 30, seconds: 12, slots: 5 },
]);
