/** Sets that create nothing, and those that keep what has failed. */
import { labels } from '../../../../workflows/api/constants.ts';
import { isInPlace } from '../in-place.ts';
import { isDeleting, isLone, isOwnedBy } from '../user.ts';
import type { Obstacle, Place } from './obstacle.ts';
import { withoutHealthTimeout } from './deployments.ts';

interface SetSpec {
  autoPreserveFailedMachineMax?: number;
  template?: { spec?: { disableHealthTimeout?: boolean } };
}

export function frozenSets({ all, control }: Place): Obstacle[] {
  const pools = all('machinedeployments').filter(({ object }) => isInPlace(object));
  return all('machinesets')
    .filter(({ object }) => !isDeleting(object))
    .flatMap(({ path, name, object }) => {
      const { [labels.freeze]: freeze, [labels.scaleUpDisabled]: disabled } =
        object.metadata.labels ?? {};
      const spec: SetSpec = Object(object.spec);
      const found: [boolean, string, object][] = [
        [freeze !== undefined, 'is frozen', { metadata: { labels: { [labels.freeze]: null } } }],
        [
          // A deployment takes it off itself.
          disabled !== undefined && isLone(object),
          'may not scale up',
          { metadata: { labels: { [labels.scaleUpDisabled]: null } } },
        ],
        [
          // What a deployment says of it does not reach an old set, and one whose machines are
          // updated in place waits for them.
          (spec.autoPreserveFailedMachineMax ?? 0) > 0 &&
            (isLone(object) || pools.some((pool) => isOwnedBy(object, pool.object))),
          'preserves Failed machines',
          { spec: { autoPreserveFailedMachineMax: 0 } },
        ],
        [
          spec.template?.spec?.disableHealthTimeout === true && isLone(object),
          'has no health timeout',
          withoutHealthTimeout,
        ],
      ];
      return found
        .filter(([isFound]) => isFound)
        .map(([, what, body]) => ({
          what: `MachineSet ${name} ${what}`,
          remove: () => control.patch(path, body),
        }));
    });
}
