/** Answers in EC2's XML. A list becomes `<item>`s, an absent value nothing. */
export type XmlValue =
  | string
  | number
  | boolean
  | undefined
  | readonly XmlValue[]
  | { readonly [name: string]: XmlValue };

export function answerOf(action: string, fields: Record<string, XmlValue>): string {
  const namespace = 'http://ec2.amazonaws.com/doc/2016-11-15/';
  const body = elements({ requestId: 'request-1', ...fields });
  return `<${action}Response xmlns="${namespace}">${body}</${action}Response>`;
}

export function errorOf(code: string, message: string): string {
  const error = elements({ Code: code, Message: message });
  return `<Response><Errors><Error>${error}</Error></Errors><RequestID>request-1</RequestID></Response>`;
}

function elements(fields: { readonly [name: string]: XmlValue }): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `<${name}>${content(value)}</${name}>`)
    .join('');
}

function content(value: XmlValue): string {
  if (value === undefined) return '';
  if (typeof value !== 'object') return escaped(String(value));
  return isList(value)
    ? value.map((item) => `<item>${content(item)}</item>`).join('')
    : elements(value);
}

function isList(value: object): value is readonly XmlValue[] {
  return Array.isArray(value);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
