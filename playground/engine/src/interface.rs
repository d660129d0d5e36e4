//! The functions that the page calls in WebAssembly: bytes of a request in, bytes of an answer out.
#![allow(
    unsafe_code,
    reason = "memory that the page writes and reads is handed over by address"
)]

/// Memory for a request of so many bytes; [`playground_call`] takes it.
#[unsafe(no_mangle)]
pub extern "C" fn playground_alloc(length: usize) -> *mut u8 {
    let bytes = vec![0_u8; length].into_boxed_slice();
    Box::into_raw(bytes).cast()
}

/// Answers a request of so many bytes: at the address are four bytes with the length of the answer, the least first, and the answer behind them.
///
/// # Safety
/// The address is of [`playground_alloc`] with the same length, and used once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn playground_call(request: *mut u8, length: usize) -> *mut u8 {
    // SAFETY: so the caller promises.
    let request = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(request, length)) };
    let answer = crate::answer(&String::from_utf8_lossy(&request));
    let mut bytes = (answer.len() as u32).to_le_bytes().to_vec();
    bytes.extend(answer.into_bytes());
    Box::into_raw(bytes.into_boxed_slice()).cast()
}

/// Frees an answer of so many bytes, the four in front not counted.
///
/// # Safety
/// The address is of [`playground_call`], the length that of its answer, and nothing uses either afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn playground_free(answer: *mut u8, length: usize) {
    // SAFETY: so the caller promises.
    drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(answer, length + 4)) });
}

#[cfg(test)]
mod tests {
    use super::{playground_alloc, playground_call, playground_free};

    #[test]
    fn an_answer_comes_as_bytes() {
        let request = br##"{"do": "run", "source": "#[grad] fn f(x: f64) -> f64 { x * x }", "function": "f", "inputs": [3.0]}"##;
        let address = playground_alloc(request.len());
        // SAFETY: as the functions say.
        let answer = unsafe {
            std::ptr::copy_nonoverlapping(request.as_ptr(), address, request.len());
            let answer = playground_call(address, request.len());
            let mut length = [0; 4];
            std::ptr::copy_nonoverlapping(answer, length.as_mut_ptr(), 4);
            let length = u32::from_le_bytes(length) as usize;
            let text = std::slice::from_raw_parts(answer.add(4), length).to_vec();
            playground_free(answer, length);
            String::from_utf8(text).expect("an answer is text")
        };
        assert!(answer.contains(r#""gradient":[6.0]"#), "{answer}");
    }
}
