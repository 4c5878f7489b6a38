import { gcp } from '../support/clouds/gcp.ts';
import { testKillsAtEveryCall } from '../support/clouds/kill-at-every-call.ts';

testKillsAtEveryCall(gcp, {
  writes: ['cloud POST instances', 'cloud DELETE instances'],
  belongings: 1,
});
