/** `npm stop`: ends the stack of a state folder, in whatever state it is. */
import { parseArgs } from 'node:util';
import { defaultStateDir } from './options.ts';
import { stopStack } from './stack.ts';

const usage = `Usage: npm stop -- [--state-dir DIR]

Stops the local stack that runs in the state folder (default: .millwright). Its state is kept for the next start.`;

const { values } = parseArgs({
  options: {
    'state-dir': { type: 'string', default: defaultStateDir },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) console.log(usage);
else if (await stopStack(values['state-dir'])) console.log('The local stack is stopped.');
else console.log(`No local stack is running in ${values['state-dir']}.`);
