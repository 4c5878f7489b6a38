/** What CreateInstanceRequest and its parts allow, as their descriptions say. */

type Rule = (value: unknown) => boolean;

const matches =
  (form: RegExp): Rule =>
  (value) =>
    typeof value === 'string' && form.test(value);

const isBoolean: Rule = (value) => typeof value === 'boolean';
const isId = matches(/^.{1,50}$/);
/** An int64 is a text in JSON. */
const among =
  (...allowed: number[]): Rule =>
  (value) =>
    allowed.includes(Number(value)) && typeof value === 'string';
const between =
  (least: number, most: number): Rule =>
  (value) =>
    typeof value === 'string' && Number(value) >= least && Number(value) <= most;

interface Message {
  required: readonly string[];
  fields: Readonly<Record<string, Rule>>;
}

const of =
  (message: Message): Rule =>
  (value) =>
    faultsOf(message, value).length === 0;

const mapOf =
  (key: RegExp, value: RegExp, most: number): Rule =>
  (map) => {
    const entries = Object.entries(Object(map));
    return (
      entries.length <= most &&
      entries.every(([name, text]) => key.test(name) && value.test(String(text)))
    );
  };

const cores = [2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 40, 44, 48];
const name = matches(/^(|[a-z]([-_a-z0-9]{0,61}[a-z0-9])?)$/);

const create: Message = {
  required: [
    'folderId',
    'zoneId',
    'platformId',
    'resourcesSpec',
    'bootDiskSpec',
    'networkInterfaceSpecs',
  ],
  fields: {
    folderId: isId,
    name,
    hostname: name,
    labels: mapOf(/^[a-z][-_./\\@0-9a-z]{0,62}$/, /^[-_./\\@0-9a-z]{0,63}$/, 64),
    metadata: mapOf(/^[^]+$/, /^[^]{0,262144}$/, 1_000),
    zoneId: isId,
    platformId: isId,
    resourcesSpec: of({
      required: ['memory', 'cores'],
      fields: {
        memory: between(1, 274_877_906_944),
        cores: among(...cores, 52, 56, 60, 64, 68, 72, 76, 80),
        coreFraction: among(0, 5, 20, 50, 100),
        gpus: among(0, 1, 2, 4),
      },
    }),
    bootDiskSpec: of({
      required: [],
      fields: {
        mode: matches(/^READ_(ONLY|WRITE)$/),
        autoDelete: isBoolean,
        diskSpec: of({
          required: ['size'],
          fields: { typeId: isId, size: between(4_194_304, 4_398_046_511_104), imageId: isId },
        }),
      },
    }),
    networkInterfaceSpecs: (cards) =>
      Array.isArray(cards) &&
      cards.every(
        of({
          required: ['subnetId'],
          fields: {
            subnetId: isId,
            primaryV4AddressSpec: of({
              required: [],
              fields: {
                oneToOneNatSpec: of({ required: [], fields: { ipVersion: matches(/^IPV4$/) } }),
              },
            }),
          },
        }),
      ),
    schedulingPolicy: of({ required: [], fields: { preemptible: isBoolean } }),
  },
};

/** Fields that are missing, wrong, or that the message does not have. */
export function fieldFaults(body: object): string[] {
  return faultsOf(create, body);
}

function faultsOf({ required, fields }: Message, value: unknown): string[] {
  const given: Record<string, unknown> = Object(value);
  const missing = required.filter((field) => given[field] === undefined);
  const wrong = Object.entries(given).filter(([field, item]) => !fields[field]?.(item));
  return [...missing, ...wrong.map(([field]) => field)];
}
