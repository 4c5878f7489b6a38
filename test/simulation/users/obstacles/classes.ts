/** Classes and Secrets that nothing can be made of. */
import { validateProviderSpec } from '../../../../activities/drivers/virtual/validate.ts';
import { secretNamespaceFaults } from '../../../../workflows/api/secret-refs.ts';
import type { Body } from '../../../support/api-server/creation.ts';
import { mendClass } from '../actions/classes.ts';
import type { Found } from '../kubectl.ts';
import { userDataSecret } from '../objects.ts';
import { isDeleting } from '../user.ts';
import type { Obstacle, Place } from './obstacle.ts';

/**
 * Those that are gone, and those that are going: sooner or later they would be missing. A Secret
 * without its key counts as missing, too.
 */
export function missingObjects(place: Place): Obstacle[] {
  const { control, repository } = place;
  return [...repository.secrets, ...repository.machineclasses].flatMap(([path, body]) => {
    const object = control.get(path);
    if (object && !isDeleting(object) && !lacksUserData(object)) return [];
    const what = `${body.kind} ${body.metadata?.name} is missing, or soon will be`;
    return [{ what, remove: () => replace(place, path, body) }];
  });
}

function lacksUserData({ kind, metadata, ['data']: data }: Found): boolean {
  const isUserData = kind === 'Secret' && metadata.name === userDataSecret;
  return isUserData && Object(data)['userData'] === undefined;
}

function replace({ control }: Place, path: string, body: Body): void {
  const object = control.get(path);
  const { data } = body;
  if (object && !isDeleting(object)) return void control.patch(path, { data });
  if (object) control.patch(path, { metadata: { finalizers: null } });
  control.create(path.slice(0, path.lastIndexOf('/')), body);
}

export function brokenClasses(place: Place): Obstacle[] {
  const { all } = place;
  return all('machineclasses')
    .filter(({ path, object }) => place.repository.machineclasses.has(path) && isBroken(object))
    .map(({ path, name }) => ({
      what: `MachineClass ${name} is wrong`,
      remove: () => mendClass(place, { path }),
    }));
}

interface ClassFields {
  provider?: string;
  secretRef?: { name?: string; namespace?: string };
}

function isBroken(object: Found): boolean {
  const { provider, secretRef = {} }: ClassFields = Object(object);
  const { metadata, providerSpec } = object;
  return (
    provider !== 'virtual' ||
    secretRef.name !== userDataSecret ||
    secretNamespaceFaults({ secretRef }, metadata.namespace ?? '').length > 0 ||
    validateProviderSpec(providerSpec).length > 0
  );
}
