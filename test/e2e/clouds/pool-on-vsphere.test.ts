import { describePool } from '../support/clouds/pool-on-cloud.ts';
import { vsphere } from '../support/clouds/vsphere.ts';

describePool(vsphere);
