/** What changes between the effect of a request and its answer, and so before the next request. */
import { customResource, node as nodePath } from '../../../../kube/client/paths.ts';
import type { Kind } from '../set-up.ts';
import { nodeOf, secondMs } from '../user.ts';
import type { Picked, User } from '../user.ts';
import { breakClass, deleteClass, editClass } from './classes.ts';
import { deleteDeployment, deleteMachine, deleteSet, replaceMachine } from './deletions.ts';
import { editMachine } from './edits.ts';
import { stripFinalizers } from './finalizers.ts';
import { annotateMachine, freezeSet, labelMachine, preserve } from './marks.ts';
import { cordon, deleteNode, editNode } from './nodes.ts';
import { releaseMachine } from './owners.ts';
import * as rollouts from './rollouts.ts';
import { autoscaleDown, scale, scaleOwnedSet } from './scaling.ts';

type Act = (user: User) => void | Promise<void>;

/** Of what is asked for: what befalls just that. */
const acts: Readonly<Record<Kind | 'nodes', readonly Act[]>> = {
  machines: [
    deleteMachine,
    deleteMachine,
    replaceMachine,
    annotateMachine,
    labelMachine,
    preserve,
    editMachine,
    releaseMachine,
    stripFinalizers,
  ],
  machinesets: [deleteSet, scaleOwnedSet, freezeSet],
  machinedeployments: [
    scale,
    autoscaleDown,
    deleteDeployment,
    rollouts.roll,
    rollouts.undo,
    rollouts.pause,
    rollouts.editInPlace,
    rollouts.editStrategy,
  ],
  machineclasses: [editClass, breakClass, deleteClass],
  nodes: [deleteNode, cordon, editNode],
};

const kinds = ['machines', 'machinesets', 'machinedeployments', 'machineclasses', 'nodes'] as const;

/** Where no process asks for so long, it happens all the same. */
const patienceMs = 20 * secondMs;

/** Requests for one object, and lists: reads and writes. */
export async function editInFlight(user: User): Promise<void> {
  const kind = user.chance.pick(kinds);
  const act = user.chance.pick(acts[kind]);
  const collection = kind === 'nodes' ? nodePath() : customResource(kind, user.namespace);
  const cluster = user.install[kind === 'nodes' ? 'target' : 'control'];
  const path = await user.untilAsked(cluster, { collection, patienceMs });
  if (user.isOver) return;
  const machine = kind === 'nodes' ? machineOf(user, path) : path;
  await act(machine === undefined ? user : user.among(machine));
}

function machineOf(user: User, node: string | undefined): string | undefined {
  const isIts = ({ object }: Picked): boolean => nodePath(nodeOf(object) ?? '') === node;
  return user.all('machines').find(isIts)?.path;
}
