/** Why a Node is as it is: by its machine. */
import type { Node } from '../../activities/kube/objects/nodes.ts';
import { annotations } from '../../workflows/api/constants.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { Fleet } from '../diagnosis/fleet.ts';
import type { Explanation } from './explanation.ts';
import { explainMachine, nodeInWords } from './machine.ts';

export interface NodeView {
  name: string;
  node: Node | undefined;
  machine: Machine | undefined;
  fleet: Fleet;
}

export function explainNode({ name, node, machine, fleet }: NodeView): Explanation {
  const object = { kind: 'node', name };
  if (machine) {
    const ofMachine = explainMachine(machine, { fleet, node });
    const owner = `${machine.metadata.name}, which is ${ofMachine.state}`;
    return {
      ...ofMachine,
      object,
      state: stateOf(node),
      since: undefined,
      facts: [{ name: 'Machine', value: owner }, ...ofMachine.facts],
    };
  }
  return {
    object,
    state: stateOf(node),
    facts: node ? [{ name: 'Node', value: nodeInWords(node) }] : [],
    findings: [],
    commands: [`kubectl describe node ${name}`],
    events: [],
    notes: [
      `No Machine has this Node${node?.metadata.annotations?.[annotations.notManaged] === undefined ? '' : ', and it is marked as unmanaged'}.`,
    ],
  };
}

function stateOf(node: Node | undefined): string {
  if (!node) return 'not there';
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' ? 'Ready' : 'not Ready';
}
