/** When the cluster autoscaler last changed the number. */
import { annotations } from '../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { ListedChange } from '../../workflows/plan/machine-deployment/rollout/autoscaler-marks.ts';
import { latestChoiceIn } from '../../workflows/plan/machine-deployment/rollout/autoscaler-marks.ts';
import { timeOf } from '../../kube/objects/time.ts';

/**
 * Gardener's autoscaler writes its list and the number at once, and says it nowhere else. Where the
 * number is right without a machine of the list, as it was raised again, that machine would stay
 * cordoned, and the autoscaler does not name it once more. MCM v0.62.1 lets it go at once; here a
 * number that comes after its list has so long, as a machine that goes before it costs another one.
 */
const longestGapMs = 15 * 60_000;

/** RFC 3339. */
export function scaledAtOf(deployment: MachineDeployment, now: number): string | undefined {
  const listed = listedIn(deployment);
  return listed && now >= listed.at + longestGapMs ? listed.time : saidOn(deployment);
}

/** When the list alone will say so, milliseconds; undefined when that is not to come. */
export function nextScaledAt(deployment: MachineDeployment, now: number): number | undefined {
  const at = listedIn(deployment)?.at;
  return at !== undefined && now < at + longestGapMs ? at + longestGapMs : undefined;
}

/**
 * The change by the list, where later than the annotation: MCM, or an earlier autoscaler, wrote
 * last.
 */
function listedIn(deployment: MachineDeployment): ListedChange | undefined {
  const list = deployment.metadata.annotations?.[annotations.triggerDeletion] ?? '';
  const listed = latestChoiceIn(list, timeOf);
  return listed && listed.at > (timeOf(saidOn(deployment)) ?? -Infinity) ? listed : undefined;
}

function saidOn({ metadata }: MachineDeployment): string | undefined {
  return metadata.annotations?.[annotations.lastScaledByAutoscaler];
}
