"""Module acl against what pyACL's documents say of it."""

import inspect
import threading
import unittest
import warnings

import acl
import numpy as np

NPY_FLOAT = 11


class Acl(unittest.TestCase):
    def setUp(self):
        self.assertEqual(acl.init(), 0)
        self.assertEqual(acl.rt.set_device(0), 0)
        self.stream, ret = acl.rt.create_stream()
        self.assertEqual(ret, 0)

    def tearDown(self):
        self.assertEqual(acl.rt.destroy_stream(self.stream), 0)
        self.assertEqual(acl.rt.reset_device(0), 0)
        self.assertEqual(acl.finalize(), 0)

    def test_data_to_the_device_and_back(self):
        sent = np.arange(6, dtype=np.float32).reshape(2, 3)
        device, ret = acl.rt.malloc(sent.nbytes, acl.ACL_MEM_MALLOC_HUGE_FIRST)
        self.assertEqual(ret, 0)
        self.assertIsInstance(device, int)
        self.assertEqual(acl.rt.memcpy(device, sent.nbytes, acl.util.numpy_to_ptr(sent),
                                       sent.nbytes, acl.ACL_MEMCPY_HOST_TO_DEVICE), 0)
        host, ret = acl.rt.malloc_host(sent.nbytes)
        self.assertEqual(ret, 0)
        self.assertEqual(acl.rt.memcpy_async(host, sent.nbytes, device, sent.nbytes,
                                             acl.ACL_MEMCPY_DEVICE_TO_HOST, self.stream), 0)
        self.assertEqual(acl.rt.synchronize_stream(self.stream), 0)
        np.testing.assert_array_equal(acl.util.ptr_to_numpy(host, (2, 3), NPY_FLOAT), sent)
        self.assertEqual(acl.util.ptr_to_bytes(host, sent.nbytes), sent.tobytes())
        self.assertEqual(acl.rt.memset(device, sent.nbytes, 0, 4), 0)
        back = bytes(sent.nbytes)
        self.assertEqual(acl.rt.memcpy(acl.util.bytes_to_ptr(back), sent.nbytes, device,
                                       sent.nbytes, acl.ACL_MEMCPY_DEVICE_TO_HOST), 0)
        self.assertEqual(back, bytes(4) + sent.tobytes()[4:])
        self.assertEqual(acl.rt.free(device), 0)
        self.assertEqual(acl.rt.free_host(host), 0)

    def test_outputs_come_before_the_code(self):
        count, ret = acl.rt.get_device_count()
        self.assertEqual((count >= 1, ret), (True, 0))
        self.assertEqual(acl.rt.get_device(), (0, 0))
        self.assertEqual(acl.rt.get_run_mode(), (acl.ACL_HOST, 0))
        free, total, ret = acl.rt.get_mem_info(acl.ACL_HBM_MEM)
        self.assertEqual((0 < free <= total, ret), (True, 0))
        major, minor, patch, ret = acl.rt.get_version()
        self.assertEqual((major, ret), (1, 0))
        self.assertTrue(acl.get_soc_name().startswith("Ascend"))
        self.assertEqual(acl.get_soc_name(), acl.rt.get_soc_name())
        self.assertEqual(acl.data_type_size(acl.ACL_FLOAT16), 2)

    def test_contexts(self):
        before, ret = acl.rt.get_current_context()
        self.assertEqual(ret, 0)
        context, ret = acl.rt.create_context(0)
        self.assertEqual(ret, 0)
        self.assertEqual(acl.rt.get_current_context(), (context, 0))
        self.assertEqual(acl.rt.set_current_context(before), 0)
        self.assertEqual(acl.rt.destroy_context(context), 0)

    def test_events(self):
        start, ret = acl.rt.create_event()
        self.assertEqual(ret, 0)
        end, _ = acl.rt.create_event()
        self.assertEqual(acl.rt.record_event(start, self.stream), 0)
        self.assertEqual(acl.rt.record_event(end, self.stream), 0)
        self.assertEqual(acl.rt.synchronize_event(end), 0)
        self.assertEqual(acl.rt.query_event(end), (acl.ACL_EVENT_STATUS_COMPLETE, 0))
        milliseconds, ret = acl.rt.event_elapsed_time(start, end)
        self.assertIsInstance(milliseconds, float)
        self.assertEqual((milliseconds >= 0, ret), (True, 0))
        self.assertEqual(acl.rt.stream_wait_event(self.stream, end), 0)
        self.assertEqual(acl.rt.synchronize_stream(self.stream), 0)
        for event in (start, end):
            self.assertEqual(acl.rt.destroy_event(event), 0)

    def test_callbacks_run_on_the_subscribed_thread(self):
        seen, stop = [], threading.Event()
        context, _ = acl.rt.get_current_context()
        started = threading.Event()

        def process():
            acl.rt.set_current_context(context)
            started.set()
            while not stop.is_set():
                acl.rt.process_report(50)

        thread = threading.Thread(target=process)
        thread.start()
        started.wait()
        self.assertEqual(acl.rt.subscribe_report(thread.ident, self.stream), 0)
        for value in range(3):
            self.assertEqual(acl.rt.launch_callback(
                lambda data: seen.append((data[0], threading.get_ident())), [value],
                acl.ACL_CALLBACK_BLOCK, self.stream), 0)
        self.assertEqual(acl.rt.synchronize_stream(self.stream), 0)
        self.assertEqual(acl.rt.unsubscribe_report(thread.ident, self.stream), 0)
        stop.set()
        thread.join()
        self.assertEqual(seen, [(value, thread.ident) for value in range(3)])

    def test_errors(self):
        self.assertNotEqual(acl.rt.free(64), 0)
        self.assertIn("aclrtFree", acl.get_recent_err_msg())
        self.assertIsNone(acl.get_recent_err_msg())
        with self.assertRaisesRegex(TypeError, r"2 arguments \(size, policy\) but 1"):
            acl.rt.malloc(4)
        with self.assertRaises(AttributeError):
            acl.rt.no_such_function
        with self.assertRaises(AttributeError):
            acl.ACL_NO_SUCH_CONSTANT

    def test_arrays_with_gaps(self):
        array = np.arange(6, dtype=np.int32)[::2]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            acl.util.numpy_to_ptr(array)
        self.assertEqual(len(caught), 1)
        address, dense = acl.util.numpy_contiguous_to_ptr(array)
        self.assertEqual(acl.util.ptr_to_bytes(address, 12), array.tobytes())
        self.assertIsNot(dense, array)

    def test_names_and_signatures_are_those_of_the_documents(self):
        self.assertEqual(str(inspect.signature(acl.rt.memcpy)),
                         "(dst, dest_max, src, count, kind, /)")
        documented = """set_device reset_device get_device get_device_count get_run_mode
            create_context destroy_context set_current_context get_current_context create_stream
            destroy_stream synchronize_stream synchronize_device stream_query create_event
            create_event_with_flag destroy_event record_event reset_event query_event_status
            query_event_wait_status event_elapsed_time stream_wait_event synchronize_event
            set_op_wait_timeout subscribe_report unsubscribe_report process_report launch_callback
            malloc malloc_cached malloc_host mem_flush mem_invalidate free free_host memset
            memset_async memcpy memcpy_async memcpy2d memcpy2d_async get_mem_info
            device_can_access_peer device_enable_peer_access device_disable_peer_access
            get_device_sat_mode set_device_sat_mode create_stream_with_config
            event_get_timestamp get_overflow_status reset_overflow_status""".split()
        self.assertEqual([name for name in documented if not callable(getattr(acl.rt, name, None))],
                         [])
        self.assertLessEqual(set(documented), set(dir(acl.rt)))


if __name__ == "__main__":
    unittest.main()
