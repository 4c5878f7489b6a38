/** The entrance of the bundle: the workflow functions, nothing else. */
export { claim } from './claim.ts';
export { front } from './front/workflow.ts';
export { machine } from './machine/workflow.ts';
export { machineDeployment } from './machine-deployment/workflow.ts';
export { machineSet } from './machine-set/workflow.ts';
export { machineClass } from './machine-class/workflow.ts';
export { secret } from './machine-class/protection.ts';
export { safety } from './safety/round.ts';
export { safetyLostWorkflows } from './safety/lost-workflows.ts';
export { safetyOrphans } from './safety/orphans.ts';
export { safetyOvershoot } from './safety/overshoot.ts';
export { safetyReachability } from './safety/reachability.ts';
export { safetyUnmanagedNodes } from './safety/unmanaged-nodes.ts';
