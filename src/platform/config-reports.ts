import { z } from 'zod';

/** What may be set of files and of the reading of lab reports. */
export const reportKeys = {
  S3_BUCKET: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'expected the name of a bucket')
    .optional()
    .describe('Bucket for uploaded files, sealed before they leave. Without it they lie in DATA_DIR/files.'),
  S3_REGION: z.string().min(1).default('us-east-1').describe('Region of that bucket.'),
  S3_ENDPOINT: z
    .string()
    .regex(/^https?:\/\/[^\s?#]+$/, 'expected an address as https://storage.example.com')
    .optional()
    .describe('Where a service other than AWS answers the protocol of S3.'),
  S3_PREFIX: z
    .string()
    .regex(/^([\w.-]+\/)*$/, 'expected nothing, or a path that ends with a slash')
    .default('')
    .describe('What the keys of all files begin with, as `aliquot/`.'),
  S3_ACCESS_KEY_ID: z
    .string()
    .min(1)
    .optional()
    .describe('Access key for the bucket. Without it the official client looks for one as it always does.'),
  S3_SECRET_ACCESS_KEY: z.string().min(1).optional().describe('The secret of that key. Needed with it.'),
  LAB_REPORT_READERS: z.coerce
    .number()
    .int()
    .min(1)
    .max(32)
    .default(1)
    .describe('Lab reports that a worker reads at once, each in a child process of its own.'),
  LAB_REPORT_MEMORY_MB: z.coerce
    .number()
    .int()
    .min(256)
    .max(16_384)
    .default(1536)
    .describe('Memory that such a child process may use before it is ended.'),
  LAB_REPORT_QUEUE: z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(1000)
    .describe('Lab reports of one team that may wait to be read; one more is answered with 429.'),
};

interface S3Key {
  readonly S3_ACCESS_KEY_ID?: string | undefined;
  readonly S3_SECRET_ACCESS_KEY?: string | undefined;
}

export const missingWithS3 = ({ S3_ACCESS_KEY_ID: id, S3_SECRET_ACCESS_KEY: secret }: S3Key): string[] =>
  (id === undefined) === (secret === undefined)
    ? []
    : ['S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY: expected together'];
