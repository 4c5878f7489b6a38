/** The entrance of the bundle: the workflow functions, nothing else. */
export { claim } from './claim.ts';
export { machine } from './machine.ts';
export { machineDeployment } from './machine-deployment.ts';
export { machineSet } from './machine-set.ts';
export { machineClass } from './machine-class.ts';
export { secret } from './protection.ts';
export { safetyEntities } from './safety-entities.ts';
export { safetyOrphans } from './safety-orphans.ts';
export { safetyOvershoot } from './safety-overshoot.ts';
export { safetyReachability } from './safety-reachability.ts';
export { safetyUnmanagedNodes } from './safety-unmanaged-nodes.ts';
