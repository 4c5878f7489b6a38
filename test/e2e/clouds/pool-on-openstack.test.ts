/** OpenStack's own services. */
import { startServices } from '../../activities/drivers/openstack/openstack-services.ts';
import { describePool } from '../support/clouds/pool-on-cloud.ts';

describePool({
  provider: 'OpenStack',
  async start() {
    const services = await startServices();
    const { proxy, spec, ask, openStack } = services;
    const named = async (path: string, key: string): Promise<string[]> => {
      const [service, rest = ''] = path.split(' ');
      const all: unknown = Object(await ask(service === 'nova' ? 'nova' : 'neutron', rest))[key];
      return (Array.isArray(all) ? all : []).map((one) => String(Object(one).name));
    };
    return {
      env: { MILLWRIGHT_OPENSTACK_ENDPOINT: proxy.url },
      providerSpec: spec(),
      otherSpec: spec({ useConfigDrive: true }),
      secret: { ...services.request('any').secret, userData: '#cloud-config\n' },
      async nodes() {
        const { servers }: { servers: { id: string; name: string; status: string }[] } = Object(
          await ask('nova', '/v2.1/servers/detail'),
        );
        return servers
          .filter(({ status }) => status === 'ACTIVE')
          .map(({ id, name }) => ({ providerID: `openstack:///RegionOne/${id}`, name }));
      },
      async living() {
        const servers = await named('nova /v2.1/servers/detail', 'servers');
        const ports = await named('neutron /v2.0/ports', 'ports');
        const { volumes } = Object(
          await ask('cinder', `/v3/${openStack.known.projectID}/volumes/detail`),
        );
        return [...servers, ...ports.filter((name) => name !== ''), ...volumes.map(String)];
      },
      async stop() {
        await services[Symbol.asyncDispose]();
      },
    };
  },
});
