/** The cloud whose double is quickest; `driver-clouds-more` runs the others by night. */
import { gcp } from '../support/clouds/gcp.ts';
import { describeCloud } from '../support/clouds/describe-cloud.ts';

describeCloud(gcp);
