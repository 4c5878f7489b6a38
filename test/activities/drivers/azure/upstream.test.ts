import schema from '../../../../activities/drivers/azure/provider-spec.schema.json' with { type: 'json' };
import { dataDiskNameOf } from '../../../../activities/drivers/azure/names.ts';
import { nicOf, vmOf } from '../../../../activities/drivers/azure/resources.ts';
import { readSpec, validateProviderSpec } from '../../../../activities/drivers/azure/validate.ts';
import { aRequest } from '../a-request.ts';
import { describeUpstream } from '../upstream.ts';

const request = aRequest('m1', { userData: 'u' });

describeUpstream(
  new URL('upstream.jsonl.gz', import.meta.url),
  {
    schema,
    validate: validateProviderSpec,
    requestOf: (spec) => {
      const blueprint = { request, spec: readSpec(spec) };
      const { dataDisks = [] } = blueprint.spec.properties.storageProfile;
      const diskIds = new Map(
        dataDisks
          .filter(({ imageRef }) => imageRef)
          .map((disk) => [disk.lun, `/disk/${dataDiskNameOf('m1', disk)}`]),
      );
      const input = vmOf(blueprint, { nicId: '/nic', diskIds });
      return { input, nic: nicOf(blueprint, '/subnet') };
    },
  },
  {
    'our tags are sent as well': [
      /tags(\.millwright\.dev_(cluster|namespace|machine|machine-uid|token|owner))?: nothing/,
    ],
    'the names stand in the address of the request': [/(input|nic)\.name: .* -> nothing/],
    'what Azure has as a default is not said': [
      /nicType: "Standard" -> nothing/,
      /disablePasswordAuthentication: false -> nothing/,
    ],
    'an identity without an id is none': [/identity: .* -> nothing/],
    'size and type of a disk that is attached are its own': [
      /dataDisks\.\d\.(diskSizeGB|managedDisk\.storageAccountType): .* -> nothing/,
    ],
    'the key of nobody is always the same, and has a path': [
      /keyData: "DUMMY" -> "ssh-ed25519 /,
      /publicKeys\.0\.path: nothing/,
    ],
    'an empty object or text is absent also where Gardener’s driver refuses it': [
      /taken: .*cloudConfiguration=\{("name":"")?\}/,
      /taken: .*capacityReservationGroupID":""/,
    ],
    'values of newer API versions are taken': [
      /taken: .*"securityType":"Standard"/,
      /taken: .*"NonPersistedTPM"/,
    ],
    'a machineSet beside a zone is ignored': [/taken: .*machineSet=\{"id":"\/m"/],
    'what Azure refuses is refused at once': [
      /refused: providerSpec\.tags/,
      /refused: .*\.zone: (0|-1) is not/,
      /refused: .*machineSet\.id: ""/,
      /refused: .*caching: "x"/,
      /refused: .*capacityReservationGroupID/,
    ],
    'caching is sent as Azure spells it, in whatever case it is given': [
      /caching: "readonly" -> "ReadOnly"/,
    ],
  },
);
