import { createAssets } from '../base/pages/assets.ts'
import { style } from '../base/pages/page-style.ts'

/** Assets of the console's pages. */
export const assets = createAssets({ at: '/assets', style })
