import { azure } from '../support/clouds/azure.ts';
import { testKillsAtEveryCall } from '../support/clouds/kill-at-every-call.ts';

testKillsAtEveryCall(azure, {
  writes: [
    'cloud PUT networkInterfaces',
    'cloud PUT virtualMachines',
    'cloud DELETE virtualMachines',
  ],
  belongings: 4,
});
