import { createAssets } from '../base/pages/assets.ts'
import { style } from '../base/pages/style.ts'
import { script } from './script.ts'

/** Assets of the console's pages. */
export const assets = createAssets({ at: '/assets', style, script })
