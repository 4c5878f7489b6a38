/** The command that a shortened table ends with names the namespace of the table. */
import { diagnose } from '../../cli/diagnosis/diagnose.ts';
import { statusAnswer } from '../../cli/status/status.ts';
import { stuckAnswer } from '../../cli/stuck/stuck.ts';
import { findingTable } from '../../cli/diagnosis/table.ts';
import { anInstallInTrouble } from './diagnosis/install-in-trouble.ts';
import { anInstall, now } from './diagnosis/objects.ts';

test.each([
  { namespace: 'shoot', line: 'millwright stuck -n shoot' },
  { namespace: undefined, line: 'millwright stuck -A' },
])('more findings of namespace $namespace: $line', ({ namespace, line }) => {
  const install = { ...anInstallInTrouble(), namespace };
  const table = findingTable(diagnose(install), { install, isWide: false, most: 1 });
  expect(table.split('\n').at(-1)).toMatch(new RegExp(`^and \\d+ more: ${line}$`));
});

test('a stop stands above all, and no time is told for what it holds up', () => {
  const stops = [{ namespace: 'shoot', uid: '1', reason: 'wrong disks', since: now - 60_000 }];
  const install = anInstallInTrouble();
  const lines = statusAnswer({ ...install, stops }, { isWide: false }).text.split('\n');
  expect(lines[1]).toBe('shoot is stopped since 60s: wrong disks');
  expect(lines.join('\n').match(/is stopped since/g)).toHaveLength(1);
  const pool = lines.find((line) => line.startsWith('pool '));
  expect(pool).toContain('the end of the stop; then 2 new machines to become available');
  expect(pool).not.toContain(' left (');
  const calm = stuckAnswer(anInstall({ stops }), { isWide: false }).text;
  expect(calm).toMatch(/^shoot is stopped since .*\nNothing else is stuck\./);
});
