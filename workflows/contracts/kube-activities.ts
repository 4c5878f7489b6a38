/** All activities that act on Kubernetes. */
import type { InPlaceActivities } from './in-place-activities.ts';
import type { MachineActivities } from './machine-activities.ts';
import type { MachineSetActivities } from './machine-set-activities.ts';
import type { MachineDeploymentActivities } from './machine-deployment-activities.ts';
import type { LossActivities } from './missing-instance-activities.ts';
import type { ClassActivities } from './machine-class-activities.ts';
import type { PreservationActivities } from './preservation-activities.ts';
import type { ProtectionActivities, SafetyActivities } from './safety-activities.ts';

/** Served on the workflows' own task queue, and as local activities. */
export type KubeActivities = MachineActivities &
  MachineSetActivities &
  MachineDeploymentActivities &
  LossActivities &
  ClassActivities &
  PreservationActivities &
  InPlaceActivities &
  ProtectionActivities &
  SafetyActivities;
