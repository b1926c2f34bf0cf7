import { createAssets } from '../base/pages/assets.ts'
import { style } from '../base/pages/page-style.ts'
import { script } from './console-script.ts'

/** What the pages of the console load. */
export const assets = createAssets({ at: '/assets', style, script })
