/** Secrets of the clouds that `canary` leaves to the night. */
import { azure } from '../support/clouds/azure.ts';
import { gcp } from '../support/clouds/gcp.ts';
import { describeSecrets } from '../support/planted-secrets.ts';

describeSecrets(azure);
describeSecrets(gcp);
