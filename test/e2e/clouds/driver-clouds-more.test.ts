/** The clouds that `driver-clouds` leaves to the night: moto for AWS, a double for Azure. */
import { aws } from '../support/clouds/aws.ts';
import { azure } from '../support/clouds/azure.ts';
import { describeCloud } from '../support/clouds/describe-cloud.ts';

describeCloud(aws);
describeCloud(azure);
