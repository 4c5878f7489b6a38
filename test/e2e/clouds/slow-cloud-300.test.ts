/**
 * 300 machines at a cloud that takes a minute for each, with the slots that a worker has by
 * default.
 */
import { describeSlowCloud } from '../support/slow-cloud.ts';

describeSlowCloud([
  { manner: 'pending', machines: 300, seconds: 60, slots: 50 },
  { manner: 'blocking', machines: 300, seconds: 60, slots: 50 },
]);
