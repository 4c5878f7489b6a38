/** What holds the rollout of a deployment. */
import { options } from '../../../../workflows/api/constants.ts';
import { unknownAnnotations } from '../../../../workflows/values/unknown-annotations.ts';
import { isManual } from '../in-place.ts';
import { invalidValues } from '../actions/rollout-options.ts';
import type { Found } from '../kubectl.ts';
import { labelsOf } from '../objects.ts';
import { isDeleting } from '../user.ts';
import type { Picked } from '../user.ts';
import type { Obstacle, Place } from './obstacle.ts';

interface DeploymentSpec {
  paused?: boolean;
  selector?: { matchLabels?: object; matchExpressions?: unknown[] };
  autoPreserveFailedMachineMax?: number;
  template?: { spec?: { disableHealthTimeout?: boolean } };
}

/** A hold that a person has to end, or that may come again. */
const holding: readonly string[] = [
  options.canary,
  options.rolloutAfter,
  options.onDelete,
  options.autoRollback,
  options.rolledBackFrom,
];

type Check = (picked: Picked, spec: DeploymentSpec) => [what: string, body: object] | undefined;

const automatic = { inPlaceUpdate: { orchestrationType: 'Auto' } };

const checks: readonly Check[] = [
  (_, { paused }) => (paused ? ['is paused', { spec: { paused: false } }] : undefined),
  ({ object }) =>
    isManual(object) ? ['selects its Nodes by hand', { spec: { strategy: automatic } }] : undefined,
  ({ name }, { selector }) =>
    Object.keys(selector?.matchLabels ?? {}).length === 0
      ? ['selects all', { spec: { selector: { matchLabels: labelsOf(name) } } }]
      : undefined,
  (_, { autoPreserveFailedMachineMax: most = 0 }) =>
    most > 0
      ? ['preserves Failed machines', { spec: { autoPreserveFailedMachineMax: 0 } }]
      : undefined,
  (_, { template }) =>
    template?.spec?.disableHealthTimeout
      ? ['has no health timeout', withoutHealthTimeout]
      : undefined,
  ({ object }) => {
    const keys = holdingOptionsOf(object);
    if (keys.length === 0) return undefined;
    const annotations = Object.fromEntries(keys.map((key) => [key, null]));
    return [`has ${keys.join(', ')}`, { metadata: { annotations } }];
  },
];

export const withoutHealthTimeout = {
  spec: { template: { spec: { disableHealthTimeout: false } } },
};

function holdingOptionsOf({ metadata }: Found): string[] {
  const known: readonly string[] = Object.values(options);
  return Object.entries(metadata.annotations ?? {})
    .filter(
      ([key, value]) =>
        holding.includes(key) ||
        // A typing error holds rollouts as well.
        unknownAnnotations({ [key]: value }).length > 0 ||
        (known.includes(key) && invalidValues.some((invalid) => invalid === value)),
    )
    .map(([key]) => key);
}

export function deploymentObstacles({ all, control }: Place): Obstacle[] {
  return all('machinedeployments')
    .filter(({ object }) => !isDeleting(object))
    .flatMap((picked) =>
      checks.flatMap((check) => {
        const found = check(picked, Object(picked.object.spec));
        if (!found) return [];
        const [what, body] = found;
        const text = `MachineDeployment ${picked.name} ${what}`;
        return [{ what: text, remove: () => control.patch(picked.path, body) }];
      }),
    );
}
