import fc from 'fast-check';
import { Cluster } from '../cluster.ts';
import { aMachine, aMachineSet, aNode } from '../objects.ts';
import type { Signal } from '../../../watcher/dispatch/signal.ts';

const phases = ['', 'Pending', 'Running', 'Unknown', 'Terminating'] as const;

/** A history of one machine: each entry is its next state. */
const history = fc.array(
  fc.record({
    phase: fc.constantFrom(...phases),
    owner: fc.constantFrom('red', 'blue'),
    isDeleting: fc.boolean(),
    generation: fc.integer({ min: 1, max: 3 }),
  }),
  { minLength: 1, maxLength: 12 },
);

/** The last payload that each workflow got by each signal. */
function lastSnapshots(signals: Signal[]): Map<string, unknown> {
  return new Map(
    signals.map(({ kind, object, name, payload }) => [`${kind}/${object} ${name}`, payload]),
  );
}

test('doubled and late watch events end with the same last snapshots', () => {
  fc.assert(
    fc.property(history, fc.array(fc.nat(11), { maxLength: 20 }), (states, echoes) => {
      const [plain, noisy] = [new Cluster(), new Cluster()];
      const objects = states.map((state) => plain.now(aMachine(state)));
      for (const object of objects) plain.machines.put(object);
      for (const [index, object] of objects.entries()) {
        noisy.machines.put(object);
        // Echoes of what has been seen already, in any order.
        for (const echo of echoes) {
          const old = objects[Math.min(echo, index)];
          if (old !== undefined) noisy.machines.put(old);
        }
      }
      expect(lastSnapshots(noisy.signals())).toEqual(lastSnapshots(plain.signals()));
    }),
  );
});

test('whatever events were missed, the last snapshot of a machine is that of its last state', () => {
  fc.assert(
    fc.property(history, fc.array(fc.boolean(), { maxLength: 12 }), (states, seen) => {
      const cluster = new Cluster();
      const objects = states.map((state) => cluster.now(aMachine(state)));
      const last = objects.at(-1);
      for (const [index, object] of objects.entries()) {
        if (seen[index] === true || object === last) cluster.machines.put(object);
      }
      const payload = lastSnapshots(cluster.signals()).get('machine/a machineObserved');
      const isDeleting = last?.metadata.deletionTimestamp !== undefined;
      expect(payload).toMatchObject({ isDeleting });
    }),
  );
});

test('an idle cluster gives no signal, whatever heartbeats its Nodes write', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(99), fc.string()), { maxLength: 50 }), (beats) => {
      const cluster = new Cluster();
      cluster.machineSets.put(cluster.now(aMachineSet({ name: 'set', replicas: 100 })));
      for (let index = 0; index < 100; index += 1) {
        const name = `node-${index}`;
        cluster.nodes.put(cluster.now(aNode({ name })));
        cluster.machines.put(
          cluster.now(aMachine({ name, node: name, owner: 'set', phase: 'Running' })),
        );
      }
      cluster.signals();
      for (const [index, heartbeat] of beats) {
        cluster.nodes.put(cluster.now(aNode({ name: `node-${index}`, heartbeat })));
        cluster.machines.put(
          cluster.now(
            aMachine({
              name: `node-${index}`,
              node: `node-${index}`,
              owner: 'set',
              phase: 'Running',
            }),
          ),
        );
      }
      expect(cluster.signals()).toEqual([]);
    }),
    { numRuns: 20 },
  );
});

test('nothing but a live object ever starts a workflow', () => {
  fc.assert(
    fc.property(history, (states) => {
      const cluster = new Cluster();
      for (const state of states) cluster.machines.put(cluster.now(aMachine(state)));
      cluster.signals();
      cluster.machines.remove(cluster.now(aMachine(states.at(-1))));
      expect(cluster.signals().filter(({ start }) => start !== undefined)).toEqual([]);
    }),
  );
});
