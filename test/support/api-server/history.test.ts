import { ApiServer } from './api-server.ts';
import { namespaced } from '../../../kube/client/paths.ts';

test('a database that is restored knows again what was forgotten after the backup', () => {
  const { store, ...server } = withSecrets(3);
  const restore = store.backup();
  const known = store.forgottenBelow;
  server.add('later');
  store.forget(store.version);
  restore();
  expect(store.forgottenBelow).toBe(known);
  expect(store.version).toBeGreaterThan(known);
});

function withSecrets(count: number) {
  const server = new ApiServer();
  const add = (name: string): void => {
    const metadata = { name, namespace: 'a' };
    server.create(namespaced('secrets', 'a'), { apiVersion: 'v1', kind: 'Secret', metadata });
  };
  for (let index = 0; index < count; index += 1) add(`secret-${index}`);
  return { store: server.store, add };
}
