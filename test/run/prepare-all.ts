/** `npm run prepare:all`: gets all that any test and any option of `npm start` needs. */
import { messageOf } from '../../deploy/local/failure.ts';
import { prepareAll } from './prepare.ts';

try {
  await prepareAll();
  console.log('All is there.');
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}
