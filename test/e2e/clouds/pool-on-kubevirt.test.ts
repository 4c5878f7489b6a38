import { kubevirt } from '../support/clouds/kubevirt.ts';
import { describePool } from '../support/clouds/pool-on-cloud.ts';

describePool(kubevirt);
