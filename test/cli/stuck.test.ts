/** The command that a shortened table ends with names the namespace of the table. */
import { diagnose } from '../../cli/diagnosis/diagnose.ts';
import { findingTable } from '../../cli/stuck/table.ts';
import { aFleetInTrouble } from './diagnosis/fleet-in-trouble.ts';

test.each([
  { namespace: 'shoot', line: 'millwright stuck -n shoot' },
  { namespace: undefined, line: 'millwright stuck -A' },
])('more findings of namespace $namespace: $line', ({ namespace, line }) => {
  const fleet = { ...aFleetInTrouble(), namespace };
  const table = findingTable(diagnose(fleet), { fleet, isWide: false, most: 1 });
  expect(table.split('\n').at(-1)).toMatch(new RegExp(`^and \\d+ more: ${line}$`));
});
