import * as THREE from "three";
import { RoomEnvironment } from "three/addons/environments/RoomEnvironment.js";
import { PaneControls } from "./pane_controls.js";
import { Silhouettes } from "./silhouettes.js";

/** A rectangle of the canvas, in CSS pixels from its upper left corner. */
export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** One view: what it draws, and where. `clip` cuts it, as a divider does. */
export interface Pane {
  objects: THREE.Object3D[];
  area: Rectangle;
  clip: Rectangle;
}

/** Something for polished and metallic materials to reflect: without it they are black. */
function surroundings(renderer: THREE.WebGLRenderer): THREE.Texture {
  const generator = new THREE.PMREMGenerator(renderer),
    room = new RoomEnvironment();
  const { texture } = generator.fromScene(room, 0.04);
  room.dispose();
  generator.dispose();
  return texture;
}

/** The canvas, the light and the one camera that all views share. */
export class Stage {
  readonly canvas = document.createElement("canvas");
  readonly camera = new THREE.PerspectiveCamera(32, 1, 0.01, 1000);
  readonly controls: PaneControls;
  readonly renderer: THREE.WebGLRenderer;
  readonly silhouettes: Silhouettes;
  /** Called when a person has moved the camera. */
  onCamera: () => void = () => undefined;
  panes: Pane[] = [];
  /** The first two views as one picture of their outlines. */
  outlines = false;
  private readonly scene = new THREE.Scene();
  private readonly key = new THREE.DirectionalLight(0xfff4e8, 1.6);
  private readonly rim = new THREE.DirectionalLight(0xdfe8ff, 0.7);
  private floor: THREE.GridHelper | null = null;
  private dirty = true;

  constructor(private readonly host: HTMLElement) {
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "The character. Drag to orbit, right drag to pan, wheel to zoom.");
    this.renderer = new THREE.WebGLRenderer({
      canvas: this.canvas,
      antialias: true,
      powerPreference: "high-performance",
    });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.renderer.autoClear = false;
    this.silhouettes = new Silhouettes(this.renderer);
    host.prepend(this.canvas);
    this.controls = new PaneControls(this.camera, this.canvas, (x, y) => this.areaAt(x, y));
    this.controls.addEventListener("change", () => this.invalidate());
    this.controls.addEventListener("end", () => this.onCamera());
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x8a8f98, 0.65), this.key, this.rim);
    this.scene.environment = surroundings(this.renderer);
    this.scene.environmentIntensity = 0.3;
    this.scene.add(this.key.target, this.rim.target);
    new ResizeObserver(() => this.resize()).observe(host);
    this.resize();
  }

  get width(): number {
    return this.host.clientWidth;
  }

  get height(): number {
    return this.host.clientHeight;
  }

  invalidate(): void {
    this.dirty = true;
  }

  /** The index of the view at a point of the canvas, or -1. */
  paneAt(x: number, y: number): number {
    return this.panes.findIndex(
      ({ clip }) => x >= clip.x && x < clip.x + clip.width && y >= clip.y && y < clip.y + clip.height,
    );
  }

  private areaAt(x: number, y: number): Rectangle {
    return this.panes[this.paneAt(x, y)]?.area ?? { x: 0, y: 0, width: this.width, height: this.height };
  }

  setTheme(background: THREE.Color, line: THREE.Color): void {
    this.renderer.setClearColor(background);
    this.floor?.material.color.copy(line);
    this.invalidate();
  }

  setFloor(box: THREE.Box3): void {
    if (this.floor) {
      this.scene.remove(this.floor);
      this.floor.dispose();
    }
    const size = box.getSize(new THREE.Vector3()),
      reach = Math.max(size.x, size.y, size.z, 1e-6);
    const cell = 10 ** Math.floor(Math.log10(reach)) / 2,
      cells = 2 * Math.ceil((1.6 * reach) / cell);
    this.floor = new THREE.GridHelper(cells * cell, cells, 0xffffff, 0xffffff);
    this.floor.material.transparent = true;
    this.floor.material.opacity = 0.5;
    const center = box.getCenter(new THREE.Vector3());
    this.floor.position.set(Math.round(center.x / cell) * cell, box.min.y, Math.round(center.z / cell) * cell);
    this.scene.add(this.floor);
    this.camera.near = reach / 500;
    this.camera.far = reach * 50;
    this.invalidate();
  }

  /** Moves the camera so that the box fills a view; `turn` also looks at it from the front, a little to the side. */
  frame(box: THREE.Box3, turn: boolean): void {
    if (box.isEmpty()) return;
    const center = box.getCenter(new THREE.Vector3()),
      radius = box.getSize(new THREE.Vector3()).length() / 2;
    const direction = turn
      ? new THREE.Vector3(0.42, 0.16, 1).normalize()
      : this.camera.position.clone().sub(this.controls.target).normalize();
    const area = this.panes[0]?.area,
      aspect = area ? area.width / Math.max(area.height, 1) : 1;
    const angle = THREE.MathUtils.degToRad(this.camera.fov / 2);
    const distance = (1.1 * Math.max(radius, 1e-6)) / Math.sin(Math.min(angle, Math.atan(Math.tan(angle) * aspect)));
    this.controls.target.copy(center);
    this.camera.position.copy(center).addScaledVector(direction, distance);
    this.controls.update();
    this.onCamera();
  }

  /** Draws if anything changed since. */
  draw(): void {
    if (!this.dirty) return;
    this.drawNow();
  }

  drawNow(): void {
    this.dirty = false;
    this.light();
    this.renderer.setScissorTest(false);
    this.renderer.setViewport(0, 0, this.width, this.height);
    this.renderer.clear();
    if (this.outlines && this.panes.length > 1) return this.drawOutlines();
    this.renderer.setScissorTest(true);
    for (const pane of this.panes) this.drawPane(pane);
    this.renderer.setScissorTest(false);
  }

  /** A point of the world in CSS pixels of a view. */
  project(point: THREE.Vector3, area: Rectangle): THREE.Vector3 {
    this.aim(area);
    const p = point.clone().project(this.camera);
    return new THREE.Vector3(area.x + ((p.x + 1) / 2) * area.width, area.y + ((1 - p.y) / 2) * area.height, p.z);
  }

  /** The ray through a point of a view. */
  ray(x: number, y: number, area: Rectangle): THREE.Ray {
    this.aim(area);
    const caster = new THREE.Raycaster();
    const place = new THREE.Vector2(((x - area.x) / area.width) * 2 - 1, 1 - ((y - area.y) / area.height) * 2);
    caster.setFromCamera(place, this.camera);
    return caster.ray;
  }

  private aim(area: Rectangle): void {
    this.camera.aspect = area.width / Math.max(area.height, 1);
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
  }

  private light(): void {
    const { position, quaternion } = this.camera,
      target = this.controls.target;
    const away = position.distanceTo(target);
    for (const [light, offset] of [
      [this.key, [-0.7, 0.9, 0.2]],
      [this.rim, [0.9, 0.3, -1.6]],
    ] as const) {
      light.position
        .fromArray(offset as unknown as number[])
        .multiplyScalar(away)
        .applyQuaternion(quaternion)
        .add(position);
      light.target.position.copy(target);
    }
  }

  private drawPane({ objects, area, clip }: Pane): void {
    if (clip.width <= 0 || clip.height <= 0) return;
    this.aim(area);
    this.renderer.setViewport(area.x, this.height - area.y - area.height, area.width, area.height);
    this.renderer.setScissor(clip.x, this.height - clip.y - clip.height, clip.width, clip.height);
    this.scene.add(...objects);
    this.renderer.render(this.scene, this.camera);
    this.scene.remove(...objects);
  }

  private drawOutlines(): void {
    const [first, second] = this.panes;
    this.aim(first.area);
    this.silhouettes.draw(first.objects, second.objects, this.camera, this.width, this.height);
  }

  private resize(): void {
    this.renderer.setSize(Math.max(this.width, 1), Math.max(this.height, 1), false);
    this.invalidate();
    this.onResize();
  }

  onResize: () => void = () => undefined;
}
