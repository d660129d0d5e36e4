//! The gradient of the cell by hand: remembers the gates, the cell and its `tanh`, and the hidden state of each step.

type Weights<'a> = (&'a [f64], &'a [f64], &'a [f64]);
type Gradients<'a> = (&'a mut [f64], &'a mut [f64], &'a mut [f64]);

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The way back through `z += h w`: adds to the adjoint of the row `w` and returns what `h` gets.
///
/// On eight lanes: the order of an adjoint sum is free.
fn back(h: f64, w: &[f64], dw: &mut [f64], dz: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let whole = w.len() - w.len() % 8;
    let rows = w.chunks_exact(8).zip(dw.chunks_exact_mut(8));
    for ((w, dw), dz) in rows.zip(dz.chunks_exact(8)) {
        for i in 0..8 {
            lanes[i] += w[i] * dz[i];
            dw[i] += h * dz[i];
        }
    }
    let mut dh = lanes.iter().sum();
    for i in whole..w.len() {
        dh += w[i] * dz[i];
        dw[i] += h * dz[i];
    }
    dh
}

/// What one step leaves behind for the way back, one slice a unit long each.
const SLICES: usize = 7;

/// The value; adds the gradient to the last argument.
pub(super) fn hand_into(
    (from_input, from_hidden, bias): Weights,
    (inputs, targets): (&[f64], &[f64]),
    n: usize,
    (dfrom_input, dfrom_hidden, dbias): Gradients,
) -> f64 {
    let gates = 4 * n;
    let mut hidden = vec![0.0; n];
    let mut cell = vec![0.0; n];
    // Gates (activated), the cell before the step, tanh of the cell after it, and the hidden state before it.
    let mut tape = vec![0.0; inputs.len() * SLICES];
    let mut loss = 0.0;
    let steps = inputs.chunks_exact(n).zip(targets.chunks_exact(n));
    for ((input, target), step) in steps.zip(tape.chunks_exact_mut(SLICES * n)) {
        let (z, step) = step.split_at_mut(gates);
        let (cells, step) = step.split_at_mut(n);
        let (tanhs, hiddens) = step.split_at_mut(n);
        z.copy_from_slice(bias);
        hiddens.copy_from_slice(&hidden);
        cells.copy_from_slice(&cell);
        for j in 0..n {
            let row = &from_input[j * gates..][..gates];
            let x = input[j];
            for (z, w) in z.iter_mut().zip(row) {
                *z += w * x;
            }
            let row = &from_hidden[j * gates..][..gates];
            let h = hidden[j];
            for (z, w) in z.iter_mut().zip(row) {
                *z += w * h;
            }
        }
        for j in 0..n {
            let forget = sigmoid(z[j]);
            let input = sigmoid(z[n + j]);
            let output = sigmoid(z[2 * n + j]);
            let change = z[3 * n + j].tanh();
            cell[j] = forget * cell[j] + input * change;
            tanhs[j] = cell[j].tanh();
            hidden[j] = output * tanhs[j];
            let error = hidden[j] - target[j];
            loss += error * error;
            z[j] = forget;
            z[n + j] = input;
            z[2 * n + j] = output;
            z[3 * n + j] = change;
        }
    }
    let mut dhidden = vec![0.0; n];
    let mut dcell = vec![0.0; n];
    let mut dz = vec![0.0; gates];
    let steps = inputs.chunks_exact(n).zip(targets.chunks_exact(n));
    for ((input, target), step) in steps.zip(tape.chunks_exact(SLICES * n)).rev() {
        let (z, step) = step.split_at(gates);
        let (cells, step) = step.split_at(n);
        let (tanhs, hiddens) = step.split_at(n);
        for j in 0..n {
            let (forget, input, output, change) = (z[j], z[n + j], z[2 * n + j], z[3 * n + j]);
            let dh = dhidden[j] + output * tanhs[j] - target[j];
            let dc = dcell[j] + dh * output * (1.0 - tanhs[j] * tanhs[j]);
            dz[j] = dc * cells[j] * forget * (1.0 - forget);
            dz[n + j] = dc * change * input * (1.0 - input);
            dz[2 * n + j] = dh * tanhs[j] * output * (1.0 - output);
            dz[3 * n + j] = dc * input * (1.0 - change * change);
            dcell[j] = dc * forget;
        }
        for j in 0..n {
            let x = input[j];
            for (dw, dz) in dfrom_input[j * gates..][..gates].iter_mut().zip(&dz) {
                *dw += dz * x;
            }
            let w = &from_hidden[j * gates..][..gates];
            let dw = &mut dfrom_hidden[j * gates..][..gates];
            dhidden[j] = back(hiddens[j], w, dw, &dz);
        }
        for (db, dz) in dbias.iter_mut().zip(&dz) {
            *db += dz;
        }
    }
    0.5 * loss
}
