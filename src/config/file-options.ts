import { baseUrl, oneOf, text } from './kinds.js';
import type { Option } from './option.js';

/** Where files that licenses may download are kept. */
export const FILE_PROVIDERS = ['local', 'github', 's3'] as const;
export type FileProvider = (typeof FILE_PROVIDERS)[number];

/** Where downloadable files are kept; see `options.ts`. */
export const FILE_OPTIONS = {
  'FILES.PROVIDER': {
    schema: oneOf(FILE_PROVIDERS),
    default: 'local',
    meaning: 'Where downloadable files are kept: a directory, releases of GitHub, or an S3-compatible store.',
  },
  'FILES.ROOT': {
    schema: text(1),
    defaultNote: '`files` in `DATA_DIR`',
    meaning: 'Directory of the provider `local`, relative to the working directory.',
  },
  'FILES.GITHUB.API_URL': {
    schema: baseUrl(),
    default: 'https://api.github.com',
    meaning: 'Base of the GitHub API; of GitHub Enterprise, `https://<host>/api/v3`.',
  },
  'FILES.GITHUB.TOKEN': {
    schema: text(1),
    defaultNote: 'none: public repositories only',
    meaning: 'Token that may read the repositories; it is sent to the API alone.',
    secret: 'text',
  },
  'FILES.S3.BUCKET': {
    schema: text(1),
    defaultNote: 'none; the provider `s3` needs one',
    meaning: 'Bucket with the files, as `<prefix><owner>/<name>/<version>/<asset>`.',
  },
  'FILES.S3.ENDPOINT': {
    schema: baseUrl(),
    defaultNote: 'AWS, by the region',
    meaning: 'Base of an S3-compatible store.',
  },
  'FILES.S3.REGION': {
    schema: text(1),
    default: 'us-east-1',
    meaning: 'Region of the bucket.',
  },
  'FILES.S3.ACCESS_KEY_ID': {
    schema: text(1),
    defaultNote: 'whatever the AWS SDK finds, such as the role of the machine',
    meaning: 'Id of the access key.',
  },
  'FILES.S3.SECRET_ACCESS_KEY': {
    schema: text(1),
    defaultNote: 'as `FILES.S3.ACCESS_KEY_ID`',
    meaning: 'The access key itself.',
    secret: 'text',
  },
  'FILES.S3.PREFIX': {
    schema: text(1),
    defaultNote: 'none',
    meaning: 'What the names of all objects begin with, such as `releases/`.',
  },
  'FILES.S3.FORCE_PATH_STYLE': {
    schema: oneOf(['true', 'false']),
    default: 'false',
    meaning:
      'Whether the bucket is named in the path instead of the host; most stores other than AWS want `true`.',
  },
} as const satisfies Record<string, Option>;
