/** Why a Node is as it is: by its machine. */
import { annotations } from '../../workflows/api/constants.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { Install } from '../install/install.ts';
import type { Explanation } from './explanation.ts';
import { explainMachine, nodeInWords } from './machine.ts';
import type { SeenNode } from './nodes.ts';

interface NodeView {
  name: string;
  seen: Pick<SeenNode, 'node' | 'isUnread'>;
  machine: Machine | undefined;
  install: Install;
}

export function explainNode({ name, seen, machine, install }: NodeView): Explanation {
  const object = { kind: 'node', name };
  const { node } = seen;
  if (machine) {
    const ofMachine = explainMachine(machine, { install, node });
    const owner = `${machine.metadata.name}, which is ${ofMachine.state}`;
    return {
      ...ofMachine,
      object,
      state: stateOf(seen),
      since: undefined,
      facts: [{ name: 'Machine', value: owner }, ...ofMachine.facts],
    };
  }
  return {
    object,
    state: stateOf(seen),
    facts: node ? [{ name: 'Node', value: nodeInWords(node) }] : [],
    findings: [],
    commands: [`kubectl describe node ${name}`],
    events: [],
    notes: [
      `No Machine has this Node${node?.metadata.annotations?.[annotations.notManaged] === undefined ? '' : ', and it is marked as unmanaged'}.`,
    ],
  };
}

function stateOf({ node, isUnread = false }: NodeView['seen']): string {
  if (!node) return isUnread ? 'unknown' : 'not there';
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' ? 'Ready' : 'not Ready';
}
