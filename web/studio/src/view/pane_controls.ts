import type * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Rectangle } from "./stage.js";

/**
 * The controls of a camera that several views of one canvas share. OrbitControls take the canvas for one view: here the
 * wheel zooms to the pointer's place in the view that it is over.
 */
export class PaneControls extends OrbitControls {
  constructor(
    camera: THREE.Camera,
    canvas: HTMLCanvasElement,
    /** The view at a point of the canvas. */
    private readonly areaAt: (x: number, y: number) => Rectangle,
  ) {
    super(camera, canvas);
    this.zoomToCursor = true;
  }

  /** Called by OrbitControls with a point of the window; its types leave it out. */
  _updateZoomParameters(x: number, y: number): void {
    const { left, top, width, height } = this.domElement!.getBoundingClientRect(),
      area = this.areaAt(x - left, y - top);
    (OrbitControls.prototype as any)._updateZoomParameters.call(
      this,
      left + (width * (x - left - area.x)) / area.width,
      top + (height * (y - top - area.y)) / area.height,
    );
  }
}
