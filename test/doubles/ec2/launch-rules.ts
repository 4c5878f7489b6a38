/**
 * What EC2 refuses of a launch whose fields, each by itself, are right. Sources: the references of
 * RunInstances and of EC2's error codes.
 */
import { groupsOf, textsOf, type Form } from './form.ts';
import { Refusal } from './refusal.ts';

/** An image for arm64; all others are for x86_64. */
export const armImage = 'ami-arm';
/** In another VPC than all other groups. */
export const foreignGroup = 'sg-elsewhere';

type Rule = (form: Form) => Refusal | undefined;

const rules: readonly Rule[] = [ofArchitecture, ofVpc, ofPublicAddress, ofHopLimit, ofTagCount];

/** Throws the refusal of the first rule that the launch breaks. */
export function checkLaunch(form: Form): void {
  for (const rule of rules) {
    const refusal = rule(form);
    if (refusal) throw refusal;
  }
}

/** Types of Graviton have a g behind the generation: m7g, c6gn, t4g. */
function ofArchitecture(form: Form): Refusal | undefined {
  const type = /^[a-z]+\d+g/.test(form.get('InstanceType') ?? '') ? 'arm64' : 'x86_64';
  const image = form.get('ImageId') === armImage ? 'arm64' : 'x86_64';
  if (type === image) return undefined;
  const message = `The architecture '${type}' of the specified instance type does not match the architecture '${image}' of the specified AMI.`;
  return new Refusal({ code: 'InvalidParameterValue', message });
}

function ofVpc(form: Form): Refusal | undefined {
  const wrong = groupsOf(form, 'NetworkInterface').find((group) =>
    textsOf(group, 'SecurityGroupId').includes(foreignGroup),
  );
  if (!wrong) return undefined;
  const message = `Security group ${foreignGroup} and subnet ${wrong.get('SubnetId')} belong to different networks.`;
  return new Refusal({ code: 'InvalidParameter', message });
}

function ofPublicAddress(form: Form): Refusal | undefined {
  const interfaces = groupsOf(form, 'NetworkInterface');
  const isAsked = interfaces.some((group) => group.has('AssociatePublicIpAddress'));
  if (!isAsked || interfaces.length < 2) return undefined;
  const message =
    'The associatePublicIPAddress parameter cannot be specified when launching with multiple network interfaces.';
  return new Refusal({ code: 'InvalidParameterCombination', message });
}

function ofHopLimit(form: Form): Refusal | undefined {
  const limit = form.get('MetadataOptions.HttpPutResponseHopLimit');
  if (limit === undefined || (Number(limit) >= 1 && Number(limit) <= 64)) return undefined;
  const message = `Value (${limit}) for parameter HttpPutResponseHopLimit is invalid: it must be from 1 to 64.`;
  return new Refusal({ code: 'InvalidParameterValue', message });
}

function ofTagCount(form: Form): Refusal | undefined {
  const tooMany = groupsOf(form, 'TagSpecification').some(
    (group) => groupsOf(group, 'Tag').length > 50,
  );
  if (!tooMany) return undefined;
  const message = 'You have reached the maximum number of tags for a resource (50).';
  return new Refusal({ code: 'TagLimitExceeded', message });
}
