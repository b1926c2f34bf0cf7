import { createAssets } from '@pawl/base/pages/assets'
import { style } from '@pawl/base/pages/page-style'

/** Assets of the console's pages. */
export const assets = createAssets({ at: '/assets', style })
