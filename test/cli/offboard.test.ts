/** What a namespace that leaves is asked for before anything is removed. */
import { expect, test } from 'vitest';
import { offboard } from '../../cli/offboard/offboard.ts';
import { InMemoryClient } from '../support/api-server/in-memory-client.ts';

const asked = { namespace: 'shoot', keepsMachines: false, isConfirmed: true };

/** For a kind without a CRD an API server answers 404 with plain text instead of a `Status`. */
function aPlaceWithoutCrds() {
  const system = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system' } };
  const kube = new InMemoryClient(system);
  kube.fault = ({ path }) =>
    path.includes('/machine.sapcloud.io/')
      ? { code: 404, reason: 'HTTP404', message: '404 page not found' }
      : undefined;
  return { kube, namespace: 'default' };
}

test('without CRDs it says what that means, and the option that helps', async () => {
  const place = aPlaceWithoutCrds();
  const answer = offboard(place, asked, {});
  await expect(answer).rejects.toThrow('serves no machinedeployments.machine.sapcloud.io');
  await expect(answer).rejects.toThrow('--keep-machines');
  expect(place.kube.writes()).toEqual([]);
});

test('with --keep-machines it needs no CRDs', async () => {
  const place = aPlaceWithoutCrds();
  const options = { ...asked, keepsMachines: true, temporalAddress: 'temporal:7233' };
  // Temporal comes after all that is read of the API server, and these settings are refused.
  const env = { TEMPORAL_API_KEY: 'key', TEMPORAL_TLS: 'false' };
  await expect(offboard(place, options, env)).rejects.toThrow('TEMPORAL_TLS');
});
