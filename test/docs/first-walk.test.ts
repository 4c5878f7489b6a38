/** What the first walk shows of a Machine is what the worker writes. */
import { validateProviderSpec } from '../../activities/drivers/virtual/validate.ts';
import { readAndClaimMachine } from '../../activities/machine/read-and-claim.ts';
import { aMachine, aMachineClass, aSecret, namespace } from '../support/builders.ts';
import { aWorld } from '../support/world.ts';
import { textOf } from './pages.ts';

test('a size that the provider does not know is refused in the words of the page', async () => {
  const machineClass = aMachineClass({ provider: 'virtual', providerSpec: { size: 'huge' } });
  const world = aWorld({
    control: [aMachine(), machineClass, aSecret()],
    specFaults: (_provider, providerSpec) => validateProviderSpec(providerSpec),
  });
  const input = { machine: { namespace, name: 'pool-a' }, isRetry: false };
  const { failure } = Object(await readAndClaimMachine(world, input));
  const page = textOf('docs/first-walk.md');
  expect(page).toContain(`code = [${failure.code}] message = [${failure.message}]`);
  expect(page).toContain(`machine-controller  ${failure.code}: ${failure.message}\n`);
});
