/** EC2's actions, as far as the driver uses them. */
import type { Form } from './form.ts';
import type { DoubleInstance, DoubleInstances, DoubleInterface } from './instances.ts';
import { armImage } from './launch-rules.ts';
import { Refusal } from './refusal.ts';
import { answerOf, type XmlValue } from './xml.ts';

/** Any other is `InvalidAMIID.NotFound`. */
const knownImages = ['ami-1', armImage];

type Action = (instances: DoubleInstances, form: Form) => Record<string, XmlValue>;

const actions: Readonly<Record<string, Action>> = {
  DescribeImages: (_instances, form) => {
    const id = form.get('ImageId.1');
    if (id !== undefined && knownImages.includes(id))
      return { imagesSet: [{ imageId: id, rootDeviceName: '/dev/xvda' }] };
    throw new Refusal({
      code: 'InvalidAMIID.NotFound',
      message: `The image id '[${id}]' does not exist`,
    });
  },
  DescribeInstances: describeInstances,
  GetConsoleOutput: (instances, form) => {
    const { id, console } = instances.consoleOf(form);
    return {
      instanceId: id,
      timestamp: '2026-01-01T00:10:00.000Z',
      ...(console !== undefined && { output: Buffer.from(console).toString('base64') }),
    };
  },
  RunInstances: (instances, form) => ({
    reservationId: 'r-1',
    instancesSet: [instanceXml(instances.run(form))],
  }),
  TerminateInstances: (instances, form) => ({
    instancesSet: instances
      .terminate(form)
      .map(({ id, state }) => ({ instanceId: id, currentState: { code: 0, name: state } })),
  }),
  CreateTags: (instances, form) => {
    instances.tag(form);
    return { return: true };
  },
  ModifyNetworkInterfaceAttribute: (instances, form) => {
    instances.interfaceOf(form).sourceDestCheck = form.get('SourceDestCheck.Value') === 'true';
    return { return: true };
  },
  AssignIpv6Addresses: (instances, form) => {
    const { id, ipv6Prefixes } = instances.interfaceOf(form);
    const count = Number(form.get('Ipv6PrefixCount'));
    const made = Array.from({ length: count }, (_none, index) => {
      return `2001:db8:0:${ipv6Prefixes.length + index + 1}::/80`;
    });
    ipv6Prefixes.push(...made);
    return { networkInterfaceId: id, assignedIpv6PrefixSet: made };
  },
};

/** Does it and says so in XML. Throws a `Refusal`. */
export function act(instances: DoubleInstances, form: Form): string {
  const name = form.get('Action') ?? '';
  const action = actions[name];
  if (!action) throw new Refusal({ code: 'InvalidAction', message: `no action ${name}` });
  instances.forgetIfDue(name);
  return answerOf(name, action(instances, form));
}

/** A page starts behind the instance that the token names. */
function describeInstances(instances: DoubleInstances, form: Form): Record<string, XmlValue> {
  const found = instances.describe(form);
  const size = Math.min(Number(form.get('MaxResults') ?? found.length), instances.pageSize);
  const start = Number(form.get('NextToken') ?? 0);
  const page = found.slice(start, start + size);
  return {
    reservationSet: page.map((instance) => ({
      reservationId: 'r-1',
      instancesSet: [instanceXml(instance)],
    })),
    ...(start + size < found.length && { nextToken: String(start + size) }),
  };
}

function instanceXml(instance: DoubleInstance): XmlValue {
  const { id, state, stateReason, tags, clientToken, namedAfter, networkInterfaces } = instance;
  return {
    instanceId: id,
    instanceState: { code: 16, name: state },
    ...(stateReason && { stateReason: { ...stateReason } }),
    privateDnsName: namedAfter > 0 || state === 'terminated' ? '' : `ip-${id}.internal`,
    privateIpAddress: '10.0.0.1',
    launchTime: '2026-01-01T00:00:00.000Z',
    clientToken,
    tagSet: Object.entries(tags).map(([key, value]) => ({ key, value })),
    networkInterfaceSet: networkInterfaces.map(interfaceXml),
  };
}

function interfaceXml(from: DoubleInterface): XmlValue {
  return {
    networkInterfaceId: from.id,
    interfaceType: from.interfaceType,
    sourceDestCheck: from.sourceDestCheck,
    attachment: { deviceIndex: from.deviceIndex, networkCardIndex: from.networkCardIndex },
    ipv6PrefixSet: from.ipv6Prefixes.map((ipv6Prefix) => ({ ipv6Prefix })),
  };
}
