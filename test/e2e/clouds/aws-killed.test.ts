import { aws } from '../support/clouds/aws.ts';
import { testKillsAtEveryCall } from '../support/clouds/kill-at-every-call.ts';

testKillsAtEveryCall(aws, {
  writes: ['cloud RunInstances', 'cloud TerminateInstances'],
  belongings: 2,
});
