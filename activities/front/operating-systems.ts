/** Their operating systems: the profile of each, and what its `operatingSystemSpec` says. */
import { annotations as ours } from '../../workflows/api/constants.ts';
import type { KubermaticProviderConfig } from '../../workflows/api/kubermatic.ts';
import { quoted } from '../../workflows/api/validation.ts';
import { isRecord } from '../../workflows/values/is-record.ts';
import { nearestOf } from '../../workflows/values/nearest.ts';
import type { Profile } from '../../userdata/profile.ts';
import { builtInProfile, profileNames } from '../../userdata/profiles.ts';
import { over, type UserDataPart } from './user-data-part.ts';

type Config = UserDataPart['config'];

/** Fields are flags, which say something when they are true, or texts. */
type Field =
  | { flag: Config }
  /** Of the registration of a machine: refused, or ignored where the shared config says how. */
  | { registers: 'flag' | 'text' }
  | { ignored: string; type: 'flag' | 'text' };

interface OperatingSystem {
  /** Where no annotation names another: that of operating-system-manager's own profile. */
  profile: string;
  family: Profile['operatingSystem']['name'];
  fields: Readonly<Record<string, Field>>;
  /** Config where neither the template nor the shared config says more. */
  default?: Config;
}

const upgrade: Field = { flag: { operatingSystem: { distUpgradeOnBoot: true } } };
const masked = (name: string): Field => ({ flag: { units: [{ name, masked: true }] } });

const systems: Readonly<Record<string, OperatingSystem>> = {
  ubuntu: { profile: 'ubuntu-24.04', family: 'ubuntu', fields: { distUpgradeOnBoot: upgrade } },
  amzn2: {
    profile: 'amazon-linux-2',
    family: 'amazon-linux',
    fields: { distUpgradeOnBoot: upgrade },
  },
  rockylinux: { profile: 'rocky-9', family: 'rocky', fields: { distUpgradeOnBoot: upgrade } },
  flatcar: {
    profile: 'flatcar',
    family: 'flatcar',
    fields: {
      disableAutoUpdate: { flag: { operatingSystem: { disableAutoUpdate: true } } },
      disableLocksmithD: masked('locksmithd.service'),
      disableUpdateEngine: masked('update-engine.service'),
      provisioningUtility: {
        ignored: 'images of Flatcar read Ignition, which is made',
        type: 'text',
      },
    },
    // Its machines update themselves with machine-controller; ours do not.
    default: { operatingSystem: { disableAutoUpdate: false } },
  },
  rhel: {
    profile: 'rhel-9',
    family: 'rhel',
    fields: {
      distUpgradeOnBoot: upgrade,
      rhelSubscriptionManagerUser: { registers: 'text' },
      rhelSubscriptionManagerPassword: { registers: 'text' },
      rhsmOfflineToken: {
        ignored: 'machines that go are not taken from the list of Red Hat',
        type: 'text',
      },
      attachSubscription: { registers: 'flag' },
      rhelUseSatelliteServer: { registers: 'flag' },
      rhelSatelliteServer: { registers: 'text' },
      rhelOrganizationName: { registers: 'text' },
      rhelActivationKey: { registers: 'text' },
    },
  },
};

export interface SystemPart extends UserDataPart {
  /** Value of `millwright.dev/user-data`. */
  source: string;
  /** Undefined: it is in a ConfigMap, or there are faults. */
  profile: Profile | undefined;
}

/** `named`: value of `millwright.dev/user-data` on their objects; `shared`: of all pools. */
export function systemOf(
  { operatingSystem, operatingSystemSpec }: KubermaticProviderConfig,
  { named, shared }: { named: string | undefined; shared: { config: Config } },
): SystemPart {
  const asked = operatingSystem ?? '';
  const system = Object.hasOwn(systems, asked) ? systems[asked] : undefined;
  if (!system) return unknownSystem(asked);
  const source = named ?? system.profile;
  const profile = builtInProfile(source);
  const options = isRecord(shared.config.operatingSystem) ? shared.config.operatingSystem : {};
  const part: SystemPart = {
    source,
    profile,
    config: options.disableAutoUpdate === undefined ? (system.default ?? {}) : {},
    faults: profileFaults(system, source, profile),
    ignored: [],
  };
  for (const [name, value] of Object.entries(operatingSystemSpec ?? {})) {
    const field = Object.hasOwn(system.fields, name) ? system.fields[name] : undefined;
    const isRegistered = options.subscription !== undefined;
    read(`operatingSystemSpec.${name}`, value, { field, isRegistered, part });
  }
  return part;
}

function unknownSystem(operatingSystem: string): SystemPart {
  const known = Object.keys(systems);
  const meant = nearestOf(operatingSystem, known);
  const hint =
    meant === undefined ? `it must be one of ${known.join(', ')}` : `did you mean "${meant}"?`;
  const fault = `operatingSystem ${quoted(operatingSystem)} is not known: ${hint}`;
  return { source: '', profile: undefined, config: {}, faults: [fault], ignored: [] };
}

function profileFaults(
  { family }: OperatingSystem,
  source: string,
  profile: Profile | undefined,
): string[] {
  const isAllowed = profile
    ? profile.operatingSystem.name === family
    : source.startsWith('ConfigMap/');
  if (isAllowed) return [];
  const fit = profileNames().filter(
    (name) => builtInProfile(name)?.operatingSystem.name === family,
  );
  const allowed = `it must be one of ${fit.join(', ')}, or ConfigMap/NAME`;
  return [`annotation ${ours.userData}: ${quoted(source)} is not of ${family}: ${allowed}`];
}

function read(
  name: string,
  value: unknown,
  {
    field,
    isRegistered,
    part,
  }: { field: Field | undefined; isRegistered: boolean; part: UserDataPart },
): void {
  if (value === null || value === '' || value === false) return;
  if (!field) {
    part.ignored.push(`${name} is no field of this system; machine-controller ignores it too`);
    return;
  }
  const type = 'flag' in field ? 'flag' : 'type' in field ? field.type : field.registers;
  // The value itself may be a password.
  if (typeof value !== (type === 'flag' ? 'boolean' : 'string')) {
    part.faults.push(`${name} must be ${type === 'flag' ? 'true or false' : 'a text'}`);
  } else if ('flag' in field) {
    part.config = over(part.config, field.flag);
  } else if ('ignored' in field) {
    part.ignored.push(`${name}: ${field.ignored}`);
  } else if (isRegistered) {
    part.ignored.push(`${name}: machines are registered as operatingSystem.subscription says`);
  } else {
    part.faults.push(
      `${name} cannot be said: put operatingSystem.subscription, with an organization and the Secret of an activation key, into the config.yaml of --user-data-config`,
    );
  }
}
