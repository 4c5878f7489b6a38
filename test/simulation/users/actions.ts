/** What users do, by name, so that the search for the shortest run can leave kinds out. */
import { attendDrain } from './actions/attended-drain.ts';
import { deleteGuarded, moveCredentials } from './actions/broken-deletions.ts';
import * as classes from './actions/classes.ts';
import * as commands from './actions/commands.ts';
import * as deletions from './actions/deletions.ts';
import * as disruptionPolicies from './actions/disruption-policies.ts';
import * as edits from './actions/edits.ts';
import * as finalizers from './actions/finalizers.ts';
import { refillPaused, scaleHeldRollout } from './actions/held-rollouts.ts';
import { deleteHeldSet } from './actions/held-deletions.ts';
import { hookMachine } from './actions/hooks.ts';
import { keepIllNodes } from './actions/ill-nodes.ts';
import * as inPlace from './actions/in-place.ts';
import { editInFlight } from './actions/in-flight.ts';
import * as marks from './actions/marks.ts';
import * as nodes from './actions/nodes.ts';
import * as owners from './actions/owners.ts';
import * as pods from './actions/pods.ts';
import { autoscaleUnderFreeze, keepForInquiry, resizeUnderPolicy } from './actions/policies.ts';
import { setRolloutOption } from './actions/rollout-options.ts';
import * as rollouts from './actions/rollouts.ts';
import * as scaling from './actions/scaling.ts';
import { incident, stop } from './actions/stop.ts';
import { upgradeWorkers } from './actions/upgrades.ts';
import type { User } from './user.ts';

export interface UserAction {
  /** How often it is, compared with the others. */
  weight: number;
  /** Only in worlds that begin with pools that are updated in place. Default: in all. */
  isOfInPlace?: true;
  /** May go on for minutes. */
  act(user: User): void | Promise<void>;
}

export const userActions: Readonly<Record<string, UserAction>> = {
  scale: { weight: 10, act: scaling.scale },
  scaleToZero: { weight: 1, act: scaling.scaleToZero },
  scaleOwnedSet: { weight: 0.5, act: scaling.scaleOwnedSet },
  quarrelOverReplicas: { weight: 0.5, act: scaling.quarrelOverReplicas },
  autoscaleDown: { weight: 4, act: scaling.autoscaleDown },
  autoscaleUp: { weight: 2, act: scaling.autoscaleUp },
  roll: { weight: 4, act: rollouts.roll },
  rollAgain: { weight: 1.5, act: rollouts.rollAgain },
  editInPlace: { weight: 2, act: rollouts.editInPlace },
  undo: { weight: 2, act: rollouts.undo },
  pause: { weight: 1.5, act: rollouts.pause },
  scaleHeldRollout: { weight: 8, act: scaleHeldRollout },
  refillPaused: { weight: 2, act: refillPaused },
  editStrategy: { weight: 1.5, act: rollouts.editStrategy },
  breakSpec: { weight: 0.4, act: rollouts.breakSpec },
  reconcileFromGit: { weight: 0.4, act: rollouts.reconcileFromGit },
  setRolloutOption: { weight: 4, act: setRolloutOption },
  deleteMachine: { weight: 6, act: deletions.deleteMachine },
  deleteSet: { weight: 0.7, act: deletions.deleteSet },
  deleteDeployment: { weight: 0.7, act: deletions.deleteDeployment },
  giveUpMachines: { weight: 3, act: deletions.giveUpMachines },
  takeOverSets: { weight: 1, act: deletions.takeOverSets },
  replaceMachine: { weight: 1, act: deletions.replaceMachine },
  createMachine: { weight: 1, act: deletions.createMachine },
  migrateMachine: { weight: 1, act: finalizers.migrateMachine },
  stripFinalizers: { weight: 0.7, act: finalizers.stripFinalizers },
  holdWithFinalizer: { weight: 0.7, act: finalizers.holdWithFinalizer },
  annotateMachine: { weight: 2, act: marks.annotateMachine },
  annotateOwner: { weight: 0.7, act: marks.annotateOwner },
  hookMachine: { weight: 2, act: hookMachine },
  labelMachine: { weight: 1, act: marks.labelMachine },
  preserve: { weight: 2, act: marks.preserve },
  freezeSet: { weight: 0.4, act: marks.freezeSet },
  editClass: { weight: 1, act: classes.editClass },
  breakClass: { weight: 0.4, act: classes.breakClass },
  deleteClass: { weight: 0.4, act: classes.deleteClass },
  editSecret: { weight: 0.7, act: classes.editSecret },
  deleteSecret: { weight: 0.4, act: classes.deleteSecret },
  deleteNode: { weight: 1.5, act: nodes.deleteNode },
  cordon: { weight: 1, act: nodes.cordon },
  taintNode: { weight: 0.7, act: nodes.taintNode },
  editNode: { weight: 1, act: nodes.editNode },
  startWorkload: { weight: 2, act: pods.startWorkload },
  endWorkload: { weight: 1, act: pods.endWorkload },
  addBudget: { weight: 2, act: pods.addBudget },
  deleteBudget: { weight: 1, act: pods.deleteBudget },
  commandMachine: { weight: 2, act: commands.commandMachine },
  commandRollout: { weight: 2, act: commands.commandRollout },
  terminateWorkflow: { weight: 0.5, act: commands.terminateWorkflow },
  searchForInstances: { weight: 2, act: commands.searchForInstances },
  cancelWorkflow: { weight: 0.5, act: commands.cancelWorkflow },
  releaseMachine: { weight: 1, act: owners.releaseMachine },
  createMachineForSet: { weight: 0.5, act: owners.createMachineForSet },
  dropOwner: { weight: 0.3, act: owners.dropOwner },
  revertSet: { weight: 1.5, act: owners.revertSet },
  stop: { weight: 0.5, act: stop },
  incident: { weight: 2, act: incident },
  mislabelMachine: { weight: 0.7, act: edits.mislabelMachine },
  editMachine: { weight: 1.5, act: edits.editMachine },
  attendDrain: { weight: 2, act: attendDrain },
  keepIllNodes: { weight: 3, act: keepIllNodes },
  deleteGuarded: { weight: 1.5, act: deleteGuarded },
  moveCredentials: { weight: 1.5, act: moveCredentials },
  upgradeWorkers: { weight: 2, act: upgradeWorkers },
  deleteHeldSet: { weight: 3, act: deleteHeldSet },
  keepForInquiry: { weight: 3, act: keepForInquiry },
  resizeUnderPolicy: { weight: 3, act: resizeUnderPolicy },
  autoscaleUnderFreeze: { weight: 3, act: autoscaleUnderFreeze },
  editInFlight: { weight: 8, act: editInFlight },
  writePolicy: { weight: 4, act: disruptionPolicies.writePolicy },
  editPolicy: { weight: 2, act: disruptionPolicies.editPolicy },
  deletePolicy: { weight: 0.7, act: disruptionPolicies.deletePolicy },
  rollUnderPolicy: { weight: 8, act: disruptionPolicies.rollUnderPolicy },
  overridePolicies: { weight: 1.5, act: disruptionPolicies.overridePolicies },
  hidePolicies: { weight: 0.5, act: disruptionPolicies.hidePolicies },
  rollInPlace: { weight: 12, isOfInPlace: true, act: inPlace.rollInPlace },
  selectByHand: { weight: 6, isOfInPlace: true, act: inPlace.selectByHand },
  takeLabelsOff: { weight: 2, isOfInPlace: true, act: inPlace.takeLabelsOff },
  repairUpdate: { weight: 2, isOfInPlace: true, act: inPlace.repairUpdate },
};

/** In an order that never changes. */
export const userNames: readonly string[] = Object.keys(userActions);
