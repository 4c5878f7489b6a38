/** MachineClasses and their Secrets. */
import { customResource, namespaced } from '../../../../kube/client/paths.ts';
import type { Body } from '../../../support/api-server/creation.ts';
import { classBody, providerSpec, secretBody } from '../objects.ts';
import { minuteMs, secondMs } from '../user.ts';
import type { Picked, User } from '../user.ts';

export async function editClass(user: User): Promise<void> {
  const picked = user.pick('machineclasses');
  if (!picked) return;
  const { chance, namespace } = user;
  const { providerSpec: spec, nodeTemplate } = classBody({ namespace, name: picked.name }, chance);
  const body = chance.happens(0.7) ? { providerSpec: spec } : { nodeTemplate };
  await user.change(picked, { ...body });
}

const faults: readonly Record<string, unknown>[] = [
  { providerSpec: { size: 'huge' } },
  { providerSpec: { zone: 'Not A Zone' } },
  { providerSpec: { sise: 'small' } },
  { provider: 'nowhere' },
  { secretRef: { name: 'missing' } },
  { secretRef: { namespace: 'kube-system' } },
];

/** Nothing can be made of it, until somebody corrects it. */
export async function breakClass(user: User): Promise<void> {
  const picked = user.pick('machineclasses');
  if (!picked) return;
  user.control.patch(picked.path, user.chance.pick(faults));
  if (!(await user.wait(10 * secondMs, 15 * minuteMs))) return;
  if (user.control.has(picked.path)) mendClass(user, picked);
}

type Place = Pick<User, 'control' | 'repository'>;

/** To what the repository says of the fields that may be wrong. */
export function mendClass({ control, repository }: Place, { path }: Pick<Picked, 'path'>): void {
  const body = repository.machineclasses.get(path);
  const spec = Object(body?.['providerSpec']);
  const present = Object.keys(Object(control.get(path)?.['providerSpec']));
  const gone = present.filter((field) => !Object.hasOwn(spec, field));
  const cleared = Object.fromEntries(gone.map((field) => [field, null]));
  control.patch(path, {
    provider: body?.['provider'],
    providerSpec: { ...cleared, ...spec },
    secretRef: body?.['secretRef'],
    credentialsSecretRef: body?.['credentialsSecretRef'] ?? null,
  });
}

/** Mostly it stays until the last machine of it is gone. Comes back under its name. */
export async function deleteClass(user: User): Promise<void> {
  const { chance, namespace } = user;
  const picked = user.pick('machineclasses');
  if (!picked) return;
  user.control.delete(picked.path);
  const kept = user.repository.machineclasses.get(picked.path);
  const body = chance.happens(0.5) ? { ...kept, providerSpec: providerSpec(chance) } : kept;
  if (body) await bringBack(user, { picked, collection: customResource(kind, namespace), body });
}

const kind = 'machineclasses';
const secrets = (namespace: string): string => namespaced('secrets', namespace);

function pickSecret(user: User): Picked | undefined {
  const [path, body] = user.oneOf([...user.repository.secrets]) ?? [];
  const object = path === undefined ? undefined : user.control.get(path);
  const name = body?.metadata?.name;
  return path === undefined || name === undefined || !object ? undefined : { path, name, object };
}

/** New credentials, new user data; now and then without the key that matters. */
export async function editSecret(user: User): Promise<void> {
  const picked = pickSecret(user);
  if (!picked) return;
  const { chance, namespace } = user;
  const { data } = secretBody({ namespace, name: picked.name }, chance);
  if (chance.happens(0.8)) return user.change(picked, { data });
  user.control.patch(picked.path, { data: { userData: null } });
  if (!(await user.wait(10 * secondMs, 10 * minuteMs))) return;
  if (user.control.has(picked.path)) user.control.patch(picked.path, { data });
}

export async function deleteSecret(user: User): Promise<void> {
  const picked = pickSecret(user);
  if (!picked) return;
  const { chance, namespace } = user;
  user.control.delete(picked.path);
  const body = secretBody({ namespace, name: picked.name }, chance);
  await bringBack(user, { picked, collection: secrets(namespace), body });
}

interface Return {
  picked: Picked;
  collection: string;
  body: Body;
}

/** Waits for it to be gone; the impatient take its finalizers off. */
async function bringBack(user: User, { picked, collection, body }: Return): Promise<void> {
  const { chance } = user;
  const isImpatient = chance.happens(0.3);
  for (let attempt = 0; attempt < 60; attempt += 1) {
    if (!(await user.wait(0, 2 * minuteMs))) return;
    const isThere = user.control.get(picked.path) !== undefined;
    if (isThere && isImpatient) {
      user.control.patch(picked.path, { metadata: { finalizers: null } });
    }
    if (user.control.create(collection, body)) return;
  }
}
