import { z } from 'zod';

/** Settings for file storage and for reading lab reports. */
export const reportSettings = {
  S3_BUCKET: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'expected a bucket name')
    .optional()
    .describe(
      'S3 bucket for uploaded files, encrypted before upload. Default: files are stored in DATA_DIR/files.',
    ),
  S3_REGION: z.string().min(1).default('us-east-1').describe('Region of the bucket.'),
  S3_ENDPOINT: z
    .string()
    .regex(/^https?:\/\/[^\s?#]+$/, 'expected a URL such as https://storage.example.com')
    .optional()
    .describe('Endpoint of an S3-compatible service other than AWS.'),
  S3_PREFIX: z
    .string()
    .regex(/^([\w.-]+\/)*$/, 'expected nothing, or a path that ends with a slash')
    .default('')
    .describe('Prefix of all object keys, such as `aliquot/`.'),
  S3_ACCESS_KEY_ID: z
    .string()
    .min(1)
    .optional()
    .describe('Access key for the bucket. Default: the credential chain of the AWS SDK.'),
  S3_SECRET_ACCESS_KEY: z.string().min(1).optional().describe('Secret of that access key. Required with it.'),
  LAB_REPORT_READERS: z.coerce
    .number()
    .int()
    .min(1)
    .max(32)
    .default(1)
    .describe('How many lab reports a worker reads at once, each in its own child process.'),
  LAB_REPORT_MEMORY_MB: z.coerce
    .number()
    .int()
    .min(256)
    .max(16_384)
    .default(1536)
    .describe('Memory limit of such a child process in MB; it is killed above it.'),
  LAB_REPORT_QUEUE: z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(1000)
    .describe('How many lab reports of one team may be queued. Further uploads get a 429.'),
};

interface S3Credentials {
  readonly S3_ACCESS_KEY_ID?: string | undefined;
  readonly S3_SECRET_ACCESS_KEY?: string | undefined;
}

export const findS3Errors = ({
  S3_ACCESS_KEY_ID: id,
  S3_SECRET_ACCESS_KEY: secret,
}: S3Credentials): string[] =>
  (id === undefined) === (secret === undefined)
    ? []
    : ['S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY: expected together'];
