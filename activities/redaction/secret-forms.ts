/**
 * The forms of secrets in texts that others wrote. Each is of bounded length, so that no text makes
 * it slow.
 */

export interface SecretForm {
  /** With the flags `d` and `g`. Its group `secret` is hidden; without one, all of the match. */
  expression: RegExp;
  /** Default: every match. */
  isSecret?: (match: string) => boolean;
  /** Fits much that is no secret as well: names of objects, paths, words behind a colon. */
  isGuess?: true;
}

/** Names that stand before nothing but a secret, as fields, variables and parameters of URLs. */
const exactName = [
  'password',
  'passwd',
  'secret',
  'client_?secret',
  'secret_?access_?key',
  'access_?token',
  'refresh_?token',
  'id_?token',
  'session_?token',
  'auth_?token',
  'token',
  'api_?key',
  'private_?key',
  'user_?data',
  'sig',
].join('|');
/** The quotes go too. JSON within JSON has `\"` for a quote. */
const exactValue = String.raw`(?: (?=\\?"))?(?<secret>"(?:[^"\\]|\\.){1,8000}"?|\\"[^"\\]{1,8000}(?:\\")?|[^\s"'\\,;&)]{4,8000})`;

const anyName = String.raw`(?:passw(?:or)?d|passphrase|token|secret|credentials?|signature|sig|key)[\w.-]{0,40}["']?`;
/** One word, or all of what stands in quotes. */
const anyValue = String.raw`(?<secret>"[^"\n]{0,4000}"|'[^'\n]{0,4000}'|[^\s"',;&][^\s,;&]{0,4000})`;

/** 40 is what a secret key of AWS has; a digest in hexadecimal digits is none. */
const hasMixedCharacters = (run: string): boolean =>
  /\d/.test(run) && /[A-Z]/.test(run) && /[a-z]/.test(run);

/** For a text of which nothing is known and nothing is searched for, such as a console's output. */
export const secretForms: readonly SecretForm[] = [
  // PEM, to its end; one that was cut off in between, to the end of the text. Its first line goes
  // too: if the text is read again, it would be the beginning of one that was cut off.
  {
    expression:
      /-----BEGIN [A-Z0-9 ]{1,60}-----[\s\S]*?(?:-----END [A-Z0-9 ]{1,60}-----|$(?![\s\S]))/dg,
  },
  // Bootstrap tokens of Kubernetes. The id is no secret, and names the Secret of the token.
  { expression: /(?<![a-z0-9])[a-z0-9]{6}\.(?<secret>[a-z0-9]{16})(?![a-z0-9])/dg },
  // JSON Web Tokens, which begin with `{"` in base64.
  { expression: /eyJ[\w-]{4,2000}\.[\w-]{4,8000}(?:\.[\w-]{0,8000})?/dg },
  // Ids of access keys of AWS.
  { expression: /(?:A3T[A-Z0-9]|AKIA|ASIA)[A-Z0-9]{16}/dg },
  { expression: /\b(?:bearer|basic)[ \t]{1,3}(?<secret>[\w.~+/=-]{8,8000})/dgi },
  // A token may stand in the place of the user.
  { expression: /:\/\/(?<secret>[^\s:/@]{0,200}:[^\s/@]{1,200})@/dg },
  // `password=x`, `"clientSecret":"x"`, `client_secret: "x"`, the signature of an Azure URL. A
  // colon and a blank also stand before words: `token: no` stays.
  { expression: new RegExp(String.raw`\b(?:${exactName})\\?"?[=:]${exactValue}`, 'dgi') },
  {
    expression: new RegExp(String.raw`${anyName}[ \t]{0,3}=[ \t]{0,3}${anyValue}`, 'dgi'),
    isGuess: true,
  },
  // A flag and its value. The name is searched for first: so a text of dashes costs little.
  {
    expression: new RegExp(
      String.raw`(?=${anyName})(?<=-[\w-]{0,40})${anyName}[ \t]{1,3}${anyValue}`,
      'dgi',
    ),
    isGuess: true,
  },
  // `failed to get token: Unauthorized` stays.
  {
    expression: new RegExp(String.raw`${anyName}[ \t]{0,3}:[ \t]{0,3}${anyValue}`, 'dgi'),
    isSecret: (match) => /^["'\s]?passw/i.test(match) || /\d/.test(match.slice(match.indexOf(':'))),
    isGuess: true,
  },
  // Keys and certificates whose first line is not there.
  { expression: /[A-Za-z0-9+/]{40,8000}={0,2}/dg, isSecret: hasMixedCharacters, isGuess: true },
];

/** For logs, in which people search for names, ids and paths. */
export const certainForms: readonly SecretForm[] = secretForms.filter(({ isGuess }) => !isGuess);
