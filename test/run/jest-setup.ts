/** Once for each worker process of Jest. */
import { seedProperties } from '../support/property-seed.ts';
import { endBlocksWithFailedSetup } from './failed-setup.ts';
import { watchForHangs } from './hang-guard.ts';

seedProperties();
watchForHangs();
endBlocksWithFailedSetup();
