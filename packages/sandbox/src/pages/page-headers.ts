import helmet from 'helmet'
import { contentPolicy } from '@pawl/base/pages/content-policy'

/** The headers of every page: what it may load, and nothing to another origin. */
export const pageHeaders = helmet({
  contentSecurityPolicy: contentPolicy,
  referrerPolicy: { policy: 'same-origin' },
  hsts: false,
})
