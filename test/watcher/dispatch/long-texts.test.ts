/** What a signal carries stands in a history, with each change of its object. */
import { annotations } from '../../../workflows/api/constants.ts';
import { Cluster } from '../cluster.ts';
import { aClass, aMachine, aMachineDeployment, aMachineSet, aNode } from '../objects.ts';

const long = 'x'.repeat(250_000);
const meta = {
  annotations: Object.fromEntries(Object.values(annotations).map((key) => [key, long])),
  labels: { pool: long },
};

/** Of all that is in it. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

test('no signal carries more than 1 KB of a text, whatever the objects say', () => {
  const cluster = new Cluster();
  const { machines, machineSets, machineDeployments, classes, nodes } = cluster;
  machineDeployments.put(cluster.now(aMachineDeployment({ ...meta, name: 'd' })));
  machineSets.put(cluster.now(aMachineSet({ ...meta, name: 's', owner: 'd' })));
  classes.put(cluster.now(aClass(meta)));
  machines.put(
    cluster.now(aMachine({ ...meta, owner: 's', node: 'n', providerID: long, expiry: long })),
  );
  nodes.put(cluster.now(aNode({ ...meta, name: 'n', providerID: long })));
  const signals = cluster.signals();
  expect(new Set(signals.map(({ name }) => name))).toContain('nodeObserved');
  for (const { name, payload } of signals) {
    const longest = Math.max(...textsIn(payload).map(({ length }) => length));
    expect({ name, isShort: longest <= 1_000 }).toEqual({ name, isShort: true });
  }
});
