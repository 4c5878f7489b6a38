import { Registry } from 'prom-client';
import { machineErrorCodes } from '../../../workflows/api/failures.ts';
import { registerDriverMetrics, registerPaceMetrics } from '../../../workers/metrics/drivers.ts';

test('Prometheus reads them in our names and in those of MCM', async () => {
  const registry = new Registry();
  const count = registerDriverMetrics(registry);
  count({ provider: 'AWS', operation: 'create', code: 'OK', seconds: 0.3 });
  count({ provider: 'AWS', operation: 'delete', code: 'Unauthenticated', seconds: 200 });
  const lines = (await registry.metrics()).split('\n');
  for (const line of [
    'millwright_driver_calls_total{provider="AWS",operation="create",code="OK"} 1',
    'millwright_driver_calls_total{provider="AWS",operation="delete",code="Unauthenticated"} 1',
    'millwright_driver_call_duration_seconds_bucket{le="0.25",provider="AWS",operation="create"} 0',
    'millwright_driver_call_duration_seconds_bucket{le="0.5",provider="AWS",operation="create"} 1',
    'millwright_driver_call_duration_seconds_bucket{le="300",provider="AWS",operation="delete"} 1',
    'mcm_cloud_api_requests_total{provider="aws",service="create_machine"} 1',
    'mcm_cloud_api_requests_failed_total{provider="aws",service="delete_machine"} 1',
    'mcm_cloud_api_api_request_duration_seconds_count{provider="aws",service="create_machine"} 1',
    'mcm_cloud_api_driver_request_duration_seconds_count{provider="aws",operation="create_machine"} 1',
    'mcm_cloud_api_driver_requests_failed_total{provider="aws",operation="delete_machine",error_code="16"} 1',
  ]) {
    expect(lines).toContain(line);
  }
});

test('Prometheus reads which clouds ask for fewer calls, and what was held back for it', async () => {
  const registry = new Registry();
  const { onThrottled, onHeldBack } = registerPaceMetrics(registry);
  onThrottled('AWS');
  for (let i = 0; i < 3; i += 1) onHeldBack('AWS', 'create');
  const lines = (await registry.metrics()).split('\n');
  expect(lines).toContain('millwright_driver_throttled_total{provider="AWS"} 1');
  expect(lines).toContain('millwright_driver_held_back_total{provider="AWS",operation="create"} 3');
});

test('MCM counts its codes from 1, in the order of gRPC', () => {
  const numbers = machineErrorCodes.map((code, index) => [code, index + 1]);
  expect(Object.fromEntries(numbers)).toMatchObject({
    Canceled: 1,
    Internal: 13,
    Unauthenticated: 16,
    Uninitialized: 17,
  });
});
