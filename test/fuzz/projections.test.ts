/** What the watcher makes of any object that an API server may hold. */
import fc from 'fast-check';
import { counterexample } from '../support/fuzz/runs.ts';
import {
  machineClasses,
  machineDeployments,
  machineSets,
  machines,
  metadataOf,
  nodes,
} from '../support/fuzz/objects.ts';
import { unsoundParts } from '../support/fuzz/soundness.ts';
import { Cluster } from '../watcher/cluster.ts';

const secrets = metadataOf(fc.constant('small-secret')).map((metadata) => ({ metadata }));

interface Held {
  metadata: { resourceVersion: string };
}

/** Takes both states of an object in, among neighbours, and returns what workflows hear. */
function signalsOf(put: (cluster: Cluster) => void) {
  const cluster = new Cluster();
  put(cluster);
  return cluster.signals();
}

function inTurn<T extends Held>(
  cluster: Cluster,
  cache: { put(object: T): void; remove(object: T): void },
  objects: T[],
): void {
  for (const object of objects) cache.put(cluster.now(object));
  for (const object of objects) cache.remove(cluster.now(object));
}

const histories = fc.record({
  machines: fc.array(machines, { maxLength: 3 }),
  machineSets: fc.array(machineSets, { maxLength: 3 }),
  machineDeployments: fc.array(machineDeployments, { maxLength: 2 }),
  classes: fc.array(machineClasses, { maxLength: 2 }),
  secrets: fc.array(secrets, { maxLength: 2 }),
  nodes: fc.array(nodes, { maxLength: 3 }),
});

describe('whatever the API server holds', () => {
  test('is reduced to views and dispatched, and the signals are sound', () => {
    expect(
      counterexample(histories, 60, (history) => {
        const signals = signalsOf((cluster) => {
          inTurn(cluster, cluster.nodes, history.nodes);
          inTurn(cluster, cluster.secrets, history.secrets);
          inTurn(cluster, cluster.classes, history.classes);
          inTurn(cluster, cluster.machineDeployments, history.machineDeployments);
          inTurn(cluster, cluster.machineSets, history.machineSets);
          inTurn(cluster, cluster.machines, history.machines);
        });
        expect(unsoundParts(signals)).toEqual([]);
      }),
    ).toBeUndefined();
  });
});
