import { z } from 'zod'

/** The settings of the connector. */
export const mailSettings = {
  MAIL_URL: z
    .url({ protocol: /^smtps?$/ })
    .refine((url) => URL.canParse(url) && new URL(url).search === '', 'takes no options after a ?')
    .optional()
    .describe('the mail server'),
  MAIL_FROM: z.email().optional().describe('who sends'),
  MAIL_TO: z.email().optional().describe('who is told'),
  MAIL_PLAINTEXT: z.stringbool().default(false).describe('whether mail may travel unencrypted'),
}

/** Their values. */
export interface MailSettings {
  MAIL_URL?: string | undefined
  MAIL_FROM?: string | undefined
  MAIL_TO?: string | undefined
  MAIL_PLAINTEXT: boolean
}
