import * as THREE from "three";

/** The outlines of two shapes in one picture: where only one of them is, and what share of the whole that is. */
export class Silhouettes {
  /** Pixels covered by one shape alone, as a part of those covered by either. */
  difference = 0;
  private readonly targets = [0, 1].map(() => new THREE.WebGLRenderTarget(1, 1));
  private readonly scene = new THREE.Scene();
  private readonly flat = new THREE.MeshBasicMaterial({ color: 0xffffff, side: THREE.DoubleSide });
  private readonly screen: THREE.Mesh<THREE.PlaneGeometry, THREE.ShaderMaterial>;
  private readonly camera = new THREE.OrthographicCamera(-1, 1, 1, -1, 0, 1);

  constructor(private readonly renderer: THREE.WebGLRenderer) {
    this.scene.overrideMaterial = this.flat;
    this.screen = new THREE.Mesh(
      new THREE.PlaneGeometry(2, 2),
      new THREE.ShaderMaterial({
        uniforms: {
          first: { value: this.targets[0].texture },
          second: { value: this.targets[1].texture },
          both: { value: new THREE.Color(0x8b8f96) },
          onlyFirst: { value: new THREE.Color(0x3f8fd2) },
          onlySecond: { value: new THREE.Color(0xf08a4b) },
        },
        vertexShader: "varying vec2 at; void main() { at = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }",
        fragmentShader: `uniform sampler2D first, second; uniform vec3 both, onlyFirst, onlySecond; varying vec2 at;
        void main() {
          float a = step(0.5, texture2D(first, at).r), b = step(0.5, texture2D(second, at).r);
          if (a + b < 0.5) discard;
          vec3 color = a * b > 0.5 ? both : a > 0.5 ? onlyFirst : onlySecond;
          gl_FragColor = vec4(color, 1.0);
          #include <colorspace_fragment>
        }`,
        depthTest: false,
      }),
    );
    this.screen.frustumCulled = false;
  }

  draw(first: THREE.Object3D[], second: THREE.Object3D[], camera: THREE.Camera, width: number, height: number): void {
    const background = this.renderer.getClearColor(new THREE.Color()),
      alpha = this.renderer.getClearAlpha();
    this.renderer.setClearColor(0x000000, 1);
    [first, second].forEach((objects, i) => {
      this.targets[i].setSize(width, height);
      this.scene.add(objects[0]);
      this.renderer.setRenderTarget(this.targets[i]);
      this.renderer.clear();
      this.renderer.render(this.scene, camera);
      this.scene.remove(objects[0]);
    });
    this.renderer.setRenderTarget(null);
    this.renderer.setClearColor(background, alpha);
    this.measure(width, height);
    this.renderer.render(this.screen, this.camera);
  }

  private measure(width: number, height: number): void {
    const [a, b] = this.targets.map((target) => {
      const pixels = new Uint8Array(4 * width * height);
      this.renderer.readRenderTargetPixels(target, 0, 0, width, height, pixels);
      return pixels;
    });
    let either = 0,
      one = 0;
    for (let i = 0; i < a.length; i += 4) {
      const inA = a[i] > 127,
        inB = b[i] > 127;
      if (inA || inB) ++either;
      if (inA !== inB) ++one;
    }
    this.difference = either > 0 ? one / either : 0;
  }
}
